"""PopReturn, PopExpl and AggScore with 95 % intervals.

PopReturn is the mean payoff per episode over a population of opponents, PopExpl minus the worst of
the mean payoffs against its members, AggScore their difference (Lanctot et al. 2023,
arXiv:2303.03196; Hennes et al. 2026, arXiv:2603.10098).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

BOOTSTRAP_DRAWS = 2000
_BOOTSTRAP_SEED = 20260303
"""Fixed, so that the same payoffs always show the same interval."""


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval, in the game's payoff unit.

    ``low`` and ``high`` are None when the interval is unknown (a single episode).
    """

    mean: float
    low: float | None
    high: float | None
    episodes: int

    @property
    def standard_error(self) -> float | None:
        """Standard error that the interval of :func:`estimate` was made from; None if unknown."""
        if self.low is None or self.high is None or self.episodes < 2:
            return None
        return (self.high - self.low) / 2 / t_quantile(self.episodes - 1)


@dataclass(frozen=True)
class PopulationScore:
    """The three figures of a player against a population.

    ``pop_expl`` is minus the smallest of several noisy means, and therefore biased upward: the true
    value is at most as bad. Its interval and that of ``agg_score`` come from a bootstrap over
    episodes (2000 draws, percentiles), which repeats the minimum in every draw.
    """

    pop_return: Estimate
    pop_expl: Estimate
    agg_score: Estimate


@cache
def t_quantile(degrees: float) -> float:
    """97.5 % quantile of Student's t distribution."""
    from scipy.special import stdtrit  # late: slow to load

    return float(stdtrit(degrees, 0.975))


def estimate(payoffs: Sequence[float]) -> Estimate:
    """Mean and t interval of independent episodes.

    Raises:
        ValueError: without any episode.
    """
    values = _checked(payoffs)
    mean = float(values.mean())
    if len(values) == 1:
        return Estimate(mean, None, None, 1)
    half = t_quantile(len(values) - 1) * float(values.std(ddof=1)) / len(values) ** 0.5
    return Estimate(mean, mean - half, mean + half, len(values))


def weighted_mean(payoffs: Sequence[Sequence[float]], weights: Sequence[float]) -> Estimate:
    """Mean payoff against a mixture: independent matches, one per opponent, weighted.

    ``episodes`` of the result is their total number. The interval is unknown when an opponent of
    positive weight was met only once.
    """
    if len(payoffs) != len(weights):
        raise ValueError(f"{len(payoffs)} matches do not fit {len(weights)} weights")
    used = [(_checked(p), w) for p, w in zip(payoffs, weights, strict=True) if w > 0]
    mean = float(sum(w * p.mean() for p, w in used))
    total = sum(len(p) for p, _ in used)
    if any(len(p) == 1 for p, _ in used):
        return Estimate(mean, None, None, total)
    parts = [(w * w * float(p.var(ddof=1)) / len(p), len(p) - 1) for p, w in used]
    variance = sum(part for part, _ in parts)
    # Welch and Satterthwaite: the degrees of freedom of a sum of variances.
    spread = sum(part * part / degrees for part, degrees in parts)
    degrees = variance * variance / spread if spread > 0 else 1.0
    half = t_quantile(round(degrees, 6)) * variance**0.5
    return Estimate(mean, mean - half, mean + half, total)


def population_score(payoffs: Sequence[Sequence[float]]) -> PopulationScore:
    """Score a player from its episodes against each member of a population.

    Raises:
        ValueError: without opponents, or without an episode against one of them.
    """
    if not payoffs:
        raise ValueError("a population needs at least one opponent")
    returns = weighted_mean(payoffs, [1 / len(payoffs)] * len(payoffs))
    worst = -min(float(_checked(p).mean()) for p in payoffs)
    if returns.low is None:
        unknown = [Estimate(m, None, None, returns.episodes) for m in (worst, returns.mean - worst)]
        return PopulationScore(returns, *unknown)
    means = bootstrap_means(payoffs)
    expl = -means.min(axis=1)
    return PopulationScore(
        returns,
        _percentiles(worst, expl, returns.episodes),
        _percentiles(returns.mean - worst, means.mean(axis=1) - expl, returns.episodes),
    )


def bootstrap_means(
    payoffs: Sequence[Sequence[float]], draws: int = BOOTSTRAP_DRAWS, seed: int = _BOOTSTRAP_SEED
) -> NDArray[np.float64]:
    """Means of resampled episodes, shape (draws, opponents).

    Each deviation is widened by sqrt(n / (n - 1)), which a resampled mean of n episodes lacks.
    """
    generator = np.random.default_rng(seed)
    columns = []
    for row in payoffs:
        values = _checked(row)
        count = len(values)
        picked = values[generator.integers(0, count, size=(draws, count))].mean(axis=1)
        widen = (count / (count - 1)) ** 0.5 if count > 1 else 1.0
        columns.append(values.mean() + widen * (picked - values.mean()))
    return np.stack(columns, axis=1)


def _percentiles(value: float, draws: NDArray[np.float64], episodes: int) -> Estimate:
    low, high = np.quantile(draws, [0.025, 0.975])
    return Estimate(value, min(float(low), value), max(float(high), value), episodes)


def _checked(payoffs: Sequence[float]) -> NDArray[np.float64]:
    values = np.asarray(payoffs, dtype=np.float64)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError("an estimate needs at least one episode")
    return values
