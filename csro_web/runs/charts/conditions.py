"""One figure of several conditions as points with their intervals, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from csro_web.pages.charts import Scale, clipped_label, nice_ticks, tick_label
from csro_web.runs.comparison import Figure

WIDTH, LINE = 640, 30
LEFT, RIGHT, TOP, BOTTOM = 190, 32, 8, 26


@dataclass(frozen=True)
class Line:
    label: str
    y: float
    x: float
    x_low: float | None
    x_high: float | None


@dataclass(frozen=True)
class ConditionChart:
    lines: tuple[Line, ...]
    ticks: tuple[tuple[str, float], ...]
    height: int
    width: int = WIDTH
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP

    @property
    def floor(self) -> int:
        return self.height - BOTTOM


def draw(figures: Sequence[tuple[str, Figure]]) -> ConditionChart | None:
    """``figures``: name and figure of each condition; None without any."""
    if not figures:
        return None
    values = [
        value
        for _, figure in figures
        for value in (figure.mean, figure.low, figure.high)
        if value is not None
    ]
    ticks = nice_ticks(min(values), max(values))
    x_of = Scale(ticks[0], ticks[-1], LEFT, WIDTH - RIGHT)
    return ConditionChart(
        lines=tuple(
            Line(
                clipped_label(name, 28),
                TOP + LINE * (place + 0.5),
                x_of(figure.mean),
                None if figure.low is None else x_of(figure.low),
                None if figure.high is None else x_of(figure.high),
            )
            for place, (name, figure) in enumerate(figures)
        ),
        ticks=tuple((tick_label(tick), x_of(tick)) for tick in ticks),
        height=TOP + LINE * len(figures) + BOTTOM,
    )
