"""The mixture over a population: the meta-game's solution and how far noise could move it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from games.metagame import solution, weight_ranges
from games.metrics import Estimate, difference_bound, weighted_mean
from games.tournament import matrices
from oracles.state import CellRecord, MixtureQuality

Payoffs = tuple[tuple[float, ...], ...]
SUPPORT_THRESHOLD = 1e-3
"""Weights below this are rounding of the solver, or too rare to be worth an episode."""


@dataclass(frozen=True)
class Mixture:
    """Weights over the population, each with its 95 % bootstrap range.

    ``low`` and ``high`` are empty while the ranges are unknown: a cell was played only once.
    """

    sigma: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    quality: MixtureQuality | None = None
    """None where it was not computed: in results from before it was."""


def solve_mixture(cells: Sequence[CellRecord], size: int, solver: str, seed: int) -> Mixture:
    """The mixture over ``size`` policies from their cells.

    Raises:
        MetaGameError: when a cell is missing or the solver fails.
    """
    means, errors = matrices(size, {(cell.row, cell.column): cell.estimate for cell in cells})
    found = solution(solver, means)
    sigma = tuple(float(weight) for weight in found.mixture)
    quality = MixtureQuality(solver, found.exploitability, found.converged)
    if np.isnan(errors).any():
        return Mixture(sigma, (), (), quality)
    ranges = weight_ranges(solver, means, errors, seed=seed)
    return Mixture(sigma, ranges.low, ranges.high, quality)


def mixture_json(mixture: Mixture) -> dict[str, Any]:
    """The result of a solve step; :func:`read_mixture` is its inverse."""
    return {
        "sigma": list(mixture.sigma),
        "low": list(mixture.low),
        "high": list(mixture.high),
        "quality": None if mixture.quality is None else asdict(mixture.quality),
    }


def read_mixture(found: Mapping[str, Any]) -> Mixture:
    quality = found.get("quality")
    return Mixture(
        tuple(found["sigma"]),
        tuple(found["low"]),
        tuple(found["high"]),
        None if quality is None else MixtureQuality(**quality),
    )


def support(sigma: Sequence[float]) -> list[int]:
    """Indexes of the policies that the mixture plays, heaviest first."""
    played = [index for index, weight in enumerate(sigma) if weight >= SUPPORT_THRESHOLD]
    return sorted(played, key=lambda index: (-sigma[index], index))


def support_weights(sigma: Sequence[float]) -> list[float]:
    """Weights of :func:`support`, summing to 1."""
    weights = [sigma[index] for index in support(sigma)]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


class Played(Protocol):
    """What was played against the members of a mixture, one by one."""

    @property
    def payoffs(self) -> Payoffs: ...

    @property
    def bounds(self) -> tuple[float, ...]: ...


def paired_difference(weights: Sequence[float], candidate: Played, incumbent: Played) -> Estimate:
    """How much better ``candidate`` does against the mixture, episode by episode on equal seeds."""
    bounds = tuple(
        difference_bound(*both) for both in zip(candidate.bounds, incumbent.bounds, strict=True)
    )
    return _paired_difference(tuple(weights), candidate.payoffs, incumbent.payoffs, bounds)


@lru_cache(maxsize=4096)
def _paired_difference(
    weights: tuple[float, ...], candidate: Payoffs, incumbent: Payoffs, bounds: tuple[float, ...]
) -> Estimate:
    """Cached by content: a search is followed from its start after each of its steps."""
    differences = [
        [ours - theirs for ours, theirs in zip(mine, other, strict=True)]
        for mine, other in zip(candidate, incumbent, strict=True)
    ]
    return weighted_mean(differences, weights, bounds=bounds)
