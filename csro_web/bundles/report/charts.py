"""The report's drawings as SVG, without style attributes: its content policy allows none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from csro_web.bundles.report.markup import Markup, element
from csro_web.pages.charts import clipped_label

WIDTH = 680
_LABEL, _RIGHT, _ROW = 190, 90, 22
_INK, _QUIET, _BEFORE, _AFTER = "#1a1e22", "#545c64", "#b9bdb5", "#0d5a63"
_GOOD, _BAD = (13, 90, 99), (160, 60, 28)
MOST_IN_MATRIX = 24


@dataclass(frozen=True)
class Bar:
    """A policy's weight in the full mixture and in the exported one, with its range."""

    name: str
    before: float
    after: float
    low: float | None
    high: float | None


def weights_chart(bars: Sequence[Bar]) -> Markup:
    """Two bars a policy: the full mixture's above, the exported one's with its range below."""
    height = len(bars) * (_ROW + 8) + 8
    drawn: list[Markup] = []
    for at, bar in enumerate(bars):
        top = 6 + at * (_ROW + 8)
        drawn += [
            _text(_LABEL - 8, top + 15, clipped_label(bar.name, 26), anchor="end"),
            _bar(top, 9, bar.before, _BEFORE),
            _bar(top + 11, 9, bar.after, _AFTER),
            *_range(top + 15.5, bar.low, bar.high),
            _text(WIDTH - _RIGHT + 10, top + 15, f"{bar.before:.2f} → {bar.after:.2f}"),
        ]
    return _svg(height, "Weights in the full mixture and in the exported one", drawn)


def matrix_chart(names: Sequence[str], cells: Mapping[tuple[int, int], float]) -> Markup:
    """Mean payoffs of rows against columns; teal where the row wins, red where it loses."""
    size = len(names)
    side = min(44.0, (WIDTH - _LABEL) / max(size, 1))
    largest = max((abs(value) for value in cells.values()), default=0.0) or 1.0
    drawn: list[Markup] = []
    for row, name in enumerate(names):
        middle = 24 + side * (row + 0.65)
        drawn.append(_text(_LABEL - 8, middle, f"{clipped_label(name, 24)}  {row}", anchor="end"))
        drawn.append(_text(_LABEL + side * (row + 0.5), 16, str(row), anchor="middle"))
        for column in range(size):
            value = cells.get((row, column))
            box = {"x": round(_LABEL + side * column, 1), "y": round(24 + side * row, 1)}
            colour = "#f1f1ec" if value is None else _shade(value / largest)
            drawn.append(
                element(
                    "rect", **box, width=round(side - 1, 1), height=round(side - 1, 1), fill=colour
                )
            )
            if value is not None and size <= 14:
                strong = abs(value) / largest > 0.55
                words = f"{value:+.0f}" if largest >= 10 else f"{value:+.1f}"
                ink = "#ffffff" if strong else _INK
                x = _LABEL + side * (column + 0.48)
                drawn.append(_text(x, middle, words, anchor="middle", fill=ink, size=9))
    return _svg(round(30 + side * size), "Mean payoffs of row policies against columns", drawn)


def _shade(share: float) -> str:
    red, green, blue = _GOOD if share >= 0 else _BAD
    strength = min(1.0, abs(share)) ** 0.7
    mixed = [round(245 + (part - 245) * strength) for part in (red, green, blue)]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _x(weight: float) -> float:
    return round(_LABEL + (WIDTH - _LABEL - _RIGHT) * weight, 1)


def _bar(top: float, height: float, weight: float, colour: str) -> Markup:
    width = max(1.0, round(_x(weight) - _LABEL, 1))
    return element("rect", x=_LABEL, y=top, width=width, height=height, fill=colour)


def _range(y: float, low: float | None, high: float | None) -> list[Markup]:
    if low is None or high is None:
        return []
    ends: dict[str, Any] = {"x1": _x(low), "x2": _x(high), "y1": y, "y2": y}
    return [element("line", **ends, stroke=_INK, stroke_width=1.2)]


def _text(
    x: float, y: float, words: str, *, anchor: str = "start", fill: str = _QUIET, size: int = 11
) -> Markup:
    place: dict[str, Any] = {"x": round(x, 1), "y": round(y, 1), "text_anchor": anchor}
    return element("text", words, **place, fill=fill, font_size=size)


def _svg(height: int, words: str, drawn: Sequence[Markup]) -> Markup:
    return element(
        "svg",
        element("title", words),
        *drawn,
        viewBox=f"0 0 {WIDTH} {height}",
        width=WIDTH,
        height=height,
        role="img",
    )
