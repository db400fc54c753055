"""Curves of trainings: mean return per episode over the frames that were played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from csro_web.pages.charts import Scale, nice_ticks, tick_label

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 12, 30
COLOURS = 10


@dataclass(frozen=True)
class Line:
    """``points`` as an SVG polyline takes them."""

    label: str
    points: str
    css: str
    end: tuple[float, float]


@dataclass(frozen=True)
class TrainingChart:
    lines: tuple[Line, ...]
    ticks: tuple[tuple[str, float], ...]
    labels: tuple[tuple[str, float], ...]
    zero: float
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    floor: int = HEIGHT - BOTTOM


def draw(curves: Sequence[tuple[str, Sequence[Mapping[str, Any]]]]) -> TrainingChart | None:
    """``curves`` are labels with points ``{"frames", "mean_return"}``; None without any point."""
    known = [(label, points) for label, points in curves if points]
    if not known:
        return None
    returns = [0.0, *(point["mean_return"] for _, points in known for point in points)]
    ticks = nice_ticks(min(returns), max(returns))
    y_of = Scale(ticks[0], ticks[-1], HEIGHT - BOTTOM, TOP)
    most = max(point["frames"] for _, points in known for point in points)
    x_of = Scale(0, most, LEFT, WIDTH - RIGHT)
    frames = [tick for tick in nice_ticks(0, most) if tick <= most]
    return TrainingChart(
        lines=tuple(
            _line(label, points, f"line-{index % COLOURS}", x_of, y_of)
            for index, (label, points) in enumerate(known)
        ),
        ticks=tuple((tick_label(tick), y_of(tick)) for tick in ticks),
        labels=tuple((short_count(tick), x_of(tick)) for tick in frames),
        zero=y_of(0.0),
    )


def short_count(value: float) -> str:
    """``250k``, ``1.5M``."""
    for size, sign in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{sign}"
    return f"{value:.0f}"


def _line(
    label: str, points: Sequence[Mapping[str, Any]], css: str, x_of: Scale, y_of: Scale
) -> Line:
    places = [(x_of(point["frames"]), y_of(point["mean_return"])) for point in points]
    return Line(label, " ".join(f"{x},{y}" for x, y in places), css, places[-1])
