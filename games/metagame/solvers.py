"""The meta-solvers by name, what each solution is worth, and how far noise moves it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from games.metagame import dynamics
from games.metagame.alpha_rank import alpha_rank
from games.metagame.dynamics import Mixtures, Stack
from games.metagame.matrix import Matrix, MetaGameError, Vector, check, clean, exploitability, show
from games.metagame.nash import nash


@dataclass(frozen=True)
class MetaSolver:
    """A method that turns payoff matrices into mixtures."""

    mixtures: Callable[[Stack], Mixtures]
    """From antisymmetric matrices, shape (draws, policies, policies), to a mixture for each."""
    tolerance: float | None
    """Exploitability, as a share of the largest payoff, up to which an equilibrium counts as found;
    None where the solver looks for none."""


@dataclass(frozen=True)
class Solution:
    """A mixture and what a policy of the same population gains against it."""

    mixture: Vector
    exploitability: float
    """Within the population, in the game's payoff unit; at least 0."""
    converged: bool | None
    """Whether an equilibrium was found; None when the solver looks for none."""


@dataclass(frozen=True)
class WeightRanges:
    """95 % bootstrap range of each weight of a mixture."""

    low: tuple[float, ...]
    high: tuple[float, ...]


def uniform(matrix: Matrix) -> Vector:
    """The mixture that plays every policy equally often."""
    check(matrix)
    return np.full(len(matrix), 1 / len(matrix))


def _each(solver: Callable[[Matrix], Vector]) -> Callable[[Stack], Mixtures]:
    return lambda stack: np.stack([solver(matrix) for matrix in stack])


SOLVERS: Mapping[str, MetaSolver] = {
    "nash": MetaSolver(_each(nash), 1e-6),
    "uniform": MetaSolver(_each(uniform), None),
    "regret_matching": MetaSolver(dynamics.regret_matching, 5e-3),
    "prd": MetaSolver(dynamics.prd, 5e-3),
    "fictitious_play": MetaSolver(dynamics.fictitious_play, 5e-3),
    "alpha_rank": MetaSolver(alpha_rank, None),
    "shor": MetaSolver(dynamics.shor, 5e-3),
}


def solution(solver: str, matrix: Matrix) -> Solution:
    """The named meta-solver's mixture, and how good it is.

    Raises:
        MetaGameError: on an unknown solver, or when it fails; the message holds the matrix.
    """
    chosen = _named(solver)
    check(matrix)
    mixture = _solved(solver, matrix[None])[0]
    gap = exploitability(matrix, mixture)
    if chosen.tolerance is None:
        return Solution(mixture, gap, None)
    largest = float(np.abs(matrix).max())
    return Solution(mixture, gap, gap <= chosen.tolerance * largest)


def solve(solver: str, matrix: Matrix) -> Vector:
    """The mixture of :func:`solution`; weights sum to 1."""
    return solution(solver, matrix).mixture


def weight_ranges(
    solver: str, matrix: Matrix, errors: Matrix, *, seed: int, draws: int = 50
) -> WeightRanges:
    """How far each weight moves when the cells move within their noise (parametric bootstrap).

    ``errors`` holds the standard error of each cell (symmetric; 0 where exact). Cells are redrawn
    as normal around their means, antisymmetry kept.

    Raises:
        MetaGameError: as :func:`solution`.
    """
    generator = np.random.default_rng(seed)
    point = solve(solver, matrix)
    moved = []
    for _ in range(draws):
        noise = np.tril(generator.standard_normal(matrix.shape) * errors, -1)
        moved.append(matrix + noise - noise.T)
    drawn = _solved(solver, np.stack(moved)) if moved else np.empty((0, len(matrix)))
    low, high = np.quantile(np.vstack([drawn, point]), [0.025, 0.975], axis=0)
    return WeightRanges(
        tuple(float(x) for x in np.minimum(low, point)),
        tuple(float(x) for x in np.maximum(high, point)),
    )


def _named(solver: str) -> MetaSolver:
    if solver not in SOLVERS:
        raise MetaGameError(f"no meta-solver named {solver!r}; known: {', '.join(SOLVERS)}")
    return SOLVERS[solver]


def _solved(solver: str, stack: Stack) -> Mixtures:
    found = _named(solver).mixtures(stack)
    for matrix, mixture in zip(stack, found, strict=True):
        if not np.isfinite(mixture).all():
            raise MetaGameError(f"{solver} found no mixture on {show(matrix)}")
    return np.stack([clean(mixture) for mixture in found])
