"""Gains of the best responses as points with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from csro_web.pages.charts import Scale, nice_ticks, tick_label

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 12, 30


@dataclass(frozen=True)
class Gain:
    """What the best response of an iteration gains against the mixture; None: not known."""

    index: int
    mean: float | None
    low: float | None
    high: float | None
    policy: int | None


@dataclass(frozen=True)
class Point:
    gain: Gain
    x: float
    y: float
    y_low: float | None
    y_high: float | None
    css: str


@dataclass(frozen=True)
class GainChart:
    points: tuple[Point, ...]
    ticks: tuple[tuple[str, float], ...]
    labels: tuple[tuple[int, float], ...]
    zero: float
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    floor: int = HEIGHT - BOTTOM


def draw(gains: Sequence[Gain]) -> GainChart | None:
    """None when no gain is known yet."""
    known = [gain for gain in gains if gain.mean is not None]
    if not known:
        return None
    values = [0.0]
    for gain in known:
        values += [value for value in (gain.mean, gain.low, gain.high) if value is not None]
    ticks = nice_ticks(min(values), max(values))
    y_of = Scale(ticks[0], ticks[-1], HEIGHT - BOTTOM, TOP)
    places = [gain.index for gain in gains]
    x_of = Scale(min(places) - 0.5, max(places) + 0.5, LEFT, WIDTH - RIGHT)
    every = -(-len(gains) // 20)
    return GainChart(
        points=tuple(_point(gain, x_of, y_of) for gain in known),
        ticks=tuple((tick_label(tick), y_of(tick)) for tick in ticks),
        labels=tuple((gain.index, x_of(gain.index)) for gain in gains[::every]),
        zero=y_of(0.0),
    )


def _point(gain: Gain, x_of: Scale, y_of: Scale) -> Point:
    clear = gain.low is not None and gain.low > 0
    return Point(
        gain,
        x_of(gain.index),
        y_of(gain.mean),
        None if gain.low is None else y_of(gain.low),
        None if gain.high is None else y_of(gain.high),
        "clear" if clear else "doubtful",
    )
