"""PopReturn, PopExpl and AggScore with 95 % intervals.

PopReturn is the mean payoff per episode over a population of opponents, PopExpl minus the worst of
the mean payoffs against its members, AggScore their difference (Lanctot et al. 2023,
arXiv:2303.03196; Hennes et al. 2026, arXiv:2603.10098).

Wherever payoffs are given, ``bound`` is the largest absolute payoff of an episode whose payoff may
vary, and 0 where every episode pays the same (:func:`games.fixed.payoff_bound`). It decides what
equal episodes say: see :func:`unseen_share`.
"""

from __future__ import annotations

import math
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
        """Standard error that the interval of :func:`estimate` was made from; None if unknown.

        A lopsided interval (of equal episodes) has none: it counts as its longer side would.
        """
        if self.low is None or self.high is None or self.episodes < 2:
            return None
        half = (self.high - self.low) / 2
        longer = max(self.mean - self.low, self.high - self.mean)
        lopsided = longer > half * (1 + 1e-9)
        return (longer if lopsided else half) / t_quantile(self.episodes - 1)


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


def unseen_share(episodes: int) -> float:
    """Share of episodes that may pay something else although so many paid the same, at 95 %.

    Equal payoffs have no sample variance, and Student's interval around them has width 0, however
    few they are. What they do say is Clopper and Pearson's upper end for an event that was never
    seen, 1 - 0.05 ** (1 / n), about 3 / n ("rule of three": Hanley and Lippman-Hand 1983, "If
    nothing goes wrong, is everything all right?", JAMA 249:1743). Those that were not seen may pay
    anything that the game allows.
    """
    return 1 - float(0.05 ** (1 / episodes))


def estimate(payoffs: Sequence[float], *, bound: float = 0.0) -> Estimate:
    """Mean and t interval of independent episodes; where all are equal, :func:`unseen_share`.

    Raises:
        ValueError: without any episode.
    """
    values = _checked(payoffs)
    mean = float(values.mean())
    if len(values) == 1:
        return Estimate(mean, None, None, 1)
    if _only_seem_equal(values, bound):
        below, above = _unseen(values, bound)
        return Estimate(mean, mean - below, mean + above, len(values))
    half = t_quantile(len(values) - 1) * float(values.std(ddof=1)) / len(values) ** 0.5
    return Estimate(mean, mean - half, mean + half, len(values))


def weighted_mean(
    payoffs: Sequence[Sequence[float]],
    weights: Sequence[float],
    *,
    bounds: Sequence[float] | None = None,
) -> Estimate:
    """Mean payoff against a mixture: independent matches, one per opponent, weighted.

    ``episodes`` of the result is their total number. The interval is unknown when an opponent of
    positive weight was met only once. The intervals of matches with equal episodes are put together
    with that of the others as MOVER does (Zou and Donner 2008, Statistics in Medicine 27:1693).
    """
    if len(payoffs) != len(weights):
        raise ValueError(f"{len(payoffs)} matches do not fit {len(weights)} weights")
    each = zip(payoffs, weights, _each(bounds, len(payoffs)), strict=True)
    used = [(_checked(p), w, bound) for p, w, bound in each if w > 0]
    mean = float(sum(w * p.mean() for p, w, _ in used))
    total = sum(len(p) for p, _, _ in used)
    if any(len(p) == 1 for p, _, _ in used):
        return Estimate(mean, None, None, total)
    sides = [(w, *_unseen(p, bound)) for p, w, bound in used if _only_seem_equal(p, bound)]
    half = _welch([(p, w) for p, w, bound in used if not _only_seem_equal(p, bound)])
    below = math.hypot(half, *(w * side for w, side, _ in sides))
    above = math.hypot(half, *(w * side for w, _, side in sides))
    return Estimate(mean, mean - below, mean + above, total)


def _welch(matches: Sequence[tuple[NDArray[np.float64], float]]) -> float:
    """Half the width of the t interval of a weighted sum of means (Welch and Satterthwaite)."""
    parts = [(w * w * float(p.var(ddof=1)) / len(p), len(p) - 1) for p, w in matches]
    variance = sum(part for part, _ in parts)
    spread = sum(part * part / degrees for part, degrees in parts)
    degrees = variance * variance / spread if spread > 0 else 1.0
    return t_quantile(round(degrees, 6)) * float(variance**0.5)


def population_score(
    payoffs: Sequence[Sequence[float]], *, bounds: Sequence[float] | None = None
) -> PopulationScore:
    """Score a player from its episodes against each member of a population.

    Raises:
        ValueError: without opponents, or without an episode against one of them.
    """
    if not payoffs:
        raise ValueError("a population needs at least one opponent")
    returns = weighted_mean(payoffs, [1 / len(payoffs)] * len(payoffs), bounds=bounds)
    worst = -min(float(_checked(p).mean()) for p in payoffs)
    if returns.low is None:
        unknown = [Estimate(m, None, None, returns.episodes) for m in (worst, returns.mean - worst)]
        return PopulationScore(returns, *unknown)
    means = bootstrap_means(payoffs, bounds=bounds)
    expl = -means.min(axis=1)
    return PopulationScore(
        returns,
        _percentiles(worst, expl, returns.episodes),
        _percentiles(returns.mean - worst, means.mean(axis=1) - expl, returns.episodes),
    )


def bootstrap_means(
    payoffs: Sequence[Sequence[float]],
    draws: int = BOOTSTRAP_DRAWS,
    seed: int = _BOOTSTRAP_SEED,
    *,
    bounds: Sequence[float] | None = None,
) -> NDArray[np.float64]:
    """Means of resampled episodes, shape (draws, opponents).

    Each deviation is widened by sqrt(n / (n - 1)), which a resampled mean of n episodes lacks.
    Episodes that only seem equal are drawn so that percentiles give their interval.
    """
    generator = np.random.default_rng(seed)
    columns = []
    for row, bound in zip(payoffs, _each(bounds, len(payoffs)), strict=True):
        values = _checked(row)
        count = len(values)
        if _only_seem_equal(values, bound):
            columns.append(_draw_unseen(generator, values, bound, draws))
            continue
        picked = values[generator.integers(0, count, size=(draws, count))].mean(axis=1)
        widen = (count / (count - 1)) ** 0.5 if count > 1 else 1.0
        columns.append(values.mean() + widen * (picked - values.mean()))
    return np.stack(columns, axis=1)


def difference_bound(one: float, other: float) -> float:
    """The bound of differences between payoffs of two matches, from those of the payoffs."""
    return 2 * max(one, other)


def _only_seem_equal(values: NDArray[np.float64], bound: float) -> bool:
    """Whether all episodes paid the same though they need not have."""
    return bound > 0 and float(np.ptp(values)) <= 1e-9 * bound


def _unseen(values: NDArray[np.float64], bound: float) -> tuple[float, float]:
    """How far the mean may lie below and above equal payoffs: half-widths, each at least 0."""
    share, value = unseen_share(len(values)), float(values.mean())
    return share * max(0.0, bound + value), share * max(0.0, bound - value)


def _draw_unseen(
    generator: np.random.Generator, values: NDArray[np.float64], bound: float, draws: int
) -> NDArray[np.float64]:
    """Means around equal payoffs, half of them on either side: 2.5 % lie beyond each half-width."""
    share = 1 - generator.random(draws) ** (1 / len(values))
    value = float(values.mean())
    ends = np.where(generator.random(draws) < 0.5, max(bound, value), min(-bound, value))
    return np.asarray(value + share * (ends - value))


def _each(bounds: Sequence[float] | None, matches: int) -> Sequence[float]:
    if bounds is None:
        return [0.0] * matches
    if len(bounds) != matches:
        raise ValueError(f"{matches} matches do not fit {len(bounds)} bounds")
    return bounds


def _percentiles(value: float, draws: NDArray[np.float64], episodes: int) -> Estimate:
    low, high = np.quantile(draws, [0.025, 0.975])
    return Estimate(value, min(float(low), value), max(float(high), value), episodes)


def _checked(payoffs: Sequence[float]) -> NDArray[np.float64]:
    values = np.asarray(payoffs, dtype=np.float64)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError("an estimate needs at least one episode")
    return values
