"""How a policy plays, as opposed to how well: figures between known bounds, from counted actions.

They span the map of a MAP-Elites archive (Mouret and Clune 2015, arXiv:1504.04909).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Tally = Mapping[str, int]
"""What one side did in a match: counts by name, which each game chooses."""


@dataclass(frozen=True)
class Axis:
    """A figure of behaviour. ``measure`` gives None where nothing of its kind could be seen."""

    name: str
    summary: str
    low: float
    high: float
    measure: Callable[[Tally], float | None]


def behaviour(axes: Sequence[Axis], tallies: Sequence[Tally | None]) -> tuple[float | None, ...]:
    """Each axis' figure, the mean over the matches in which there was something to measure.

    None where there was nothing, or where a match was stored by a version that did not count.
    """
    known = [tally for tally in tallies if tally is not None]
    if len(known) < len(tallies):
        return tuple(None for _ in axes)
    return tuple(_mean([axis.measure(tally) for tally in known]) for axis in axes)


def bin_of(axis: Axis, value: float | None, bins: int) -> int | None:
    """Which of ``bins`` equal parts of the axis ``value`` falls into; None when it is unknown."""
    if value is None:
        return None
    part = int((value - axis.low) / (axis.high - axis.low) * bins)
    return min(max(part, 0), bins - 1)


def share(part: int, whole: int) -> float | None:
    """``part`` of ``whole``; None when there is no whole."""
    return part / whole if whole else None


def entropy(counts: Sequence[int]) -> float | None:
    """Entropy in bits of what was counted; None when nothing was."""
    total = sum(counts)
    if not total:
        return None
    return max(0.0, -math.fsum(c / total * math.log2(c / total) for c in counts if c))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
