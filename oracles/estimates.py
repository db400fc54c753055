"""The estimates of :mod:`games.metrics`, remembered by content.

A run is folded again after each of its steps, and almost all of its payoffs were there before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from games import metrics
from games.metrics import Estimate

_MOST = 100_000


def estimate(payoffs: Sequence[float], *, bound: float) -> Estimate:
    """See :func:`games.metrics.estimate`."""
    return _estimate(tuple(payoffs), bound)


def weighted_mean(
    payoffs: Sequence[Sequence[float]], weights: Sequence[float], *, bounds: Sequence[float]
) -> Estimate:
    """See :func:`games.metrics.weighted_mean`."""
    return _weighted_mean(tuple(tuple(values) for values in payoffs), tuple(weights), tuple(bounds))


def bound_of(match: Mapping[str, Any]) -> float:
    """Of a match as a step result holds it. Those from before it was kept have none: what was read
    from them then, and decided by it, stays."""
    return float(match.get("bound", 0.0))


@lru_cache(maxsize=_MOST)
def _estimate(payoffs: tuple[float, ...], bound: float) -> Estimate:
    return metrics.estimate(payoffs, bound=bound)


@lru_cache(maxsize=_MOST)
def _weighted_mean(
    payoffs: tuple[tuple[float, ...], ...], weights: tuple[float, ...], bounds: tuple[float, ...]
) -> Estimate:
    return metrics.weighted_mean(payoffs, weights, bounds=bounds)
