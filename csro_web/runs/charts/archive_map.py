"""The archive of an evolution as a map: the best program of each kind of play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from games.behaviour import Axis
from oracles.alpha_evolve.cells import BINS

LEVELS = 5
LEAST = 6
"""Bins that are shown of each axis at least."""
LEFT, TOP, BOTTOM = 60, 28, 46
WIDTH, HEIGHT = 62, 34

Place = tuple[int, int]


@dataclass(frozen=True)
class Square:
    """A cell with the fittest program of all islands and lengths."""

    x: float
    y: float
    css: str
    text: str
    attempt: int
    pk: int
    fitness: float


@dataclass(frozen=True)
class ArchiveMap:
    squares: tuple[Square, ...]
    empty: tuple[tuple[float, float], ...]
    columns: tuple[tuple[str, float], ...]
    rows: tuple[tuple[str, float], ...]
    x_axis: Axis
    y_axis: Axis
    width: int
    height: int
    left: int = LEFT
    cell_width: int = WIDTH
    cell_height: int = HEIGHT
    levels: int = LEVELS


def draw(axes: Sequence[Axis], best: Mapping[Place, tuple[int, int, float]]) -> ArchiveMap | None:
    """The map over the first two axes; ``best`` gives attempt, row number and fitness by bins.

    None without axes or without any program of known behaviour. Only the part of the map that
    holds programs is shown.
    """
    if len(axes) < 2 or not best:
        return None
    xs, ys = (_shown([place[i] for place in best]) for i in (0, 1))
    fitness = [item[2] for item in best.values()]
    low, high = min(fitness), max(fitness)
    squares, empty = [], []
    for row, y in enumerate(reversed(ys)):
        for column, x in enumerate(xs):
            at = (LEFT + column * WIDTH, TOP + row * HEIGHT)
            found = best.get((x, y))
            if found is None:
                empty.append(at)
                continue
            attempt, pk, value = found
            level = 1 + int((value - low) / (high - low) * (LEVELS - 1)) if high > low else LEVELS
            squares.append(Square(*at, f"cold-{level}", f"{value:+.0f}", attempt, pk, value))
    return ArchiveMap(
        squares=tuple(squares),
        empty=tuple(empty),
        columns=tuple((bin_start(axes[0], x), LEFT + (i + 0.5) * WIDTH) for i, x in enumerate(xs)),
        rows=tuple(
            (bin_start(axes[1], y), TOP + (i + 0.5) * HEIGHT) for i, y in enumerate(reversed(ys))
        ),
        x_axis=axes[0],
        y_axis=axes[1],
        width=LEFT + len(xs) * WIDTH + 2,
        height=TOP + len(ys) * HEIGHT + BOTTOM,
    )


def _shown(bins: Sequence[int]) -> range:
    """The bins from the lowest to the highest, and as many around them as a map needs."""
    low, high = min(bins), max(bins)
    while high - low + 1 < min(LEAST, BINS):
        low, high = max(low - 1, 0), min(high + 1, BINS - 1)
    return range(low, high + 1)


def bin_start(axis: Axis, number: int) -> str:
    """Where a bin begins, e.g. ``0.25``."""
    return f"{axis.low + number * (axis.high - axis.low) / BINS:.2f}"


def bin_range(axis: Axis, number: int | None) -> str:
    """``0.25 to 0.31``; ``unknown``."""
    if number is None:
        return "unknown"
    return f"{bin_start(axis, number)} to {bin_start(axis, number + 1)}"
