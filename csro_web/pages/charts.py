"""Scales that the charts share. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

NOISE = 1e-8
"""Spans below this share of their values are what sums of floats leave."""


@dataclass(frozen=True)
class Scale:
    """Maps ``[low, high]`` of the data onto ``[start, end]`` of the drawing."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)


def nice_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers that cover ``[low, high]``, at most ``most + 2`` of them, two at least.

    A span that is rounding noise counts as none: its ticks could not be told apart.
    """
    if high - low <= NOISE * max(1.0, abs(low), abs(high)):
        low, high = low - 1, high + 1
    raw = (high - low) / most
    size = 10 ** math.floor(math.log10(raw))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= raw)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(index * step, 10) for index in range(first, last + 1)]


def tick_label(value: float) -> str:
    """``+200``, ``−0.5``, ``0``."""
    return "0" if value == 0 else f"{value:+,g}".replace("-", "−")


def clipped_label(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
