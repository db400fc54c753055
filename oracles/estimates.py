"""The estimates of :mod:`games.metrics`, remembered by content.

A run is folded again after each of its steps, and almost all of its payoffs were there before.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from games import metrics
from games.metrics import Estimate

_MOST = 100_000


def estimate(payoffs: Sequence[float]) -> Estimate:
    """See :func:`games.metrics.estimate`."""
    return _estimate(tuple(payoffs))


def weighted_mean(payoffs: Sequence[Sequence[float]], weights: Sequence[float]) -> Estimate:
    """See :func:`games.metrics.weighted_mean`."""
    return _weighted_mean(tuple(tuple(values) for values in payoffs), tuple(weights))


@lru_cache(maxsize=_MOST)
def _estimate(payoffs: tuple[float, ...]) -> Estimate:
    return metrics.estimate(payoffs)


@lru_cache(maxsize=_MOST)
def _weighted_mean(payoffs: tuple[tuple[float, ...], ...], weights: tuple[float, ...]) -> Estimate:
    return metrics.weighted_mean(payoffs, weights)
