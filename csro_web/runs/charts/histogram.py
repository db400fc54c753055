"""Payoffs of a match's episodes as a histogram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from csro_web.pages.charts import Scale, nice_ticks, tick_label

WIDTH, HEIGHT = 640, 180
LEFT, RIGHT, TOP, BOTTOM = 24, 24, 10, 28
BINS = 24


@dataclass(frozen=True)
class Bin:
    low: float
    high: float
    count: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Histogram:
    bins: tuple[Bin, ...]
    ticks: tuple[tuple[str, float], ...]
    most: int
    zero: float | None
    mean: float
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    floor: int = HEIGHT - BOTTOM


def draw(payoffs: Sequence[float]) -> Histogram | None:
    """None for fewer than two payoffs."""
    if len(payoffs) < 2:
        return None
    ticks = nice_ticks(min(payoffs), max(payoffs), most=8)
    low, high = ticks[0], ticks[-1]
    counts = [0] * BINS
    for payoff in payoffs:
        counts[min(BINS - 1, int(BINS * (payoff - low) / (high - low)))] += 1
    x_of = Scale(low, high, LEFT, WIDTH - RIGHT)
    y_of = Scale(0, max(counts), HEIGHT - BOTTOM, TOP)
    size = (high - low) / BINS
    bins = tuple(
        Bin(
            low + place * size,
            low + (place + 1) * size,
            number,
            x_of(low + place * size),
            y_of(number),
            round(x_of(low + size) - x_of(low) - 1, 2),
            round(HEIGHT - BOTTOM - y_of(number), 2),
        )
        for place, number in enumerate(counts)
        if number
    )
    return Histogram(
        bins,
        tuple((tick_label(tick), x_of(tick)) for tick in ticks),
        max(counts),
        x_of(0.0) if low < 0 < high else None,
        x_of(sum(payoffs) / len(payoffs)),
    )
