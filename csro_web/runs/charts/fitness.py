"""Utility of the proposals of one evolution, in the order they were made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from csro_web.pages.charts import Scale, nice_ticks, tick_label

WIDTH, HEIGHT = 960, 300
LEFT, RIGHT, TOP, BOTTOM = 56, 14, 12, 32
COLOURS = 10
"""Islands that have a colour of their own."""


@dataclass(frozen=True)
class Shown:
    """A proposal that was played; ``full`` is whether by more than its screening."""

    attempt: int
    pk: int
    island: int
    full: bool
    improved: bool
    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Dot:
    shown: Shown
    x: float
    y: float
    y_low: float | None
    y_high: float | None
    css: str


@dataclass(frozen=True)
class FitnessChart:
    dots: tuple[Dot, ...]
    best: str
    """Points of the line of the best so far, for an SVG polyline."""
    ticks: tuple[tuple[str, float], ...]
    labels: tuple[tuple[int, float], ...]
    refused: tuple[tuple[int, float], ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    floor: int = HEIGHT - BOTTOM


def island_css(island: int) -> str:
    return f"series-{island}" if island < COLOURS else "series-rest"


def draw(played: Sequence[Shown], refused: Sequence[int]) -> FitnessChart | None:
    """None before anything was played. Intervals that leave the frame are cut at its edge."""
    if not played:
        return None
    means = [one.mean for one in played]
    spread = max(max(means) - min(means), 1.0)
    floor, ceiling = min(means) - spread / 2, max(means) + spread / 2
    ends = [end for one in played if one.full for end in (one.low, one.high) if end is not None]
    ticks = nice_ticks(
        max(floor, min([*means, *ends])),
        min(ceiling, max([*means, *ends])),
    )
    y_of = Scale(ticks[0], ticks[-1], HEIGHT - BOTTOM, TOP)
    last = max([*(one.attempt for one in played), *refused])
    x_of = Scale(0.0, last + 1.0, LEFT, WIDTH - RIGHT)
    every = max(1, -(-last // 20))
    dots = tuple(_dot(one, x_of, y_of) for one in played)
    return FitnessChart(
        dots=dots,
        best=_steps([dot for dot in dots if dot.shown.improved]),
        ticks=tuple((tick_label(tick), y_of(tick)) for tick in ticks),
        labels=tuple((number, x_of(number)) for number in range(every, last + 1, every)),
        refused=tuple((number, x_of(number)) for number in refused),
    )


def _dot(one: Shown, x_of: Scale, y_of: Scale) -> Dot:
    def cut(value: float | None) -> float | None:
        return None if value is None else y_of(min(max(value, y_of.low), y_of.high))

    whiskers = (cut(one.low), cut(one.high)) if one.full else (None, None)
    css = island_css(one.island) if one.full else "doubtful"
    return Dot(one, x_of(one.attempt), y_of(one.mean), *whiskers, css)


def _steps(dots: Sequence[Dot]) -> str:
    """A staircase through the improvements, to the right edge."""
    points: list[str] = []
    height: float | None = None
    for dot in dots:
        if height is not None:
            points.append(f"{dot.x},{height}")
        points.append(f"{dot.x},{dot.y}")
        height = dot.y
    if height is not None:
        points.append(f"{WIDTH - RIGHT},{height}")
    return " ".join(points)
