"""The meta-game: the payoff matrix between policies, and the mixtures that solve it.

Matrices are antisymmetric, ``matrix[i, j]`` being the mean payoff of policy i against policy j:
both games are zero-sum, and where the seats differ they are averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

WEIGHT_TOLERANCE = 1e-9
_ZERO = 1e-9
_ACCEPTED = 1e-7
"""Exploitability, as a share of the largest payoff, up to which a mixture counts as solved."""


class MetaGameError(ArithmeticError):
    """A solver failed, or the matrix is none; the message holds the matrix."""


@dataclass(frozen=True)
class WeightRanges:
    """95 % bootstrap range of each weight of a mixture."""

    low: tuple[float, ...]
    high: tuple[float, ...]


def payoff_matrix(size: int, cells: Mapping[tuple[int, int], float]) -> Matrix:
    """The antisymmetric matrix of ``size`` policies; ``cells`` holds each pair once, either way.

    Raises:
        MetaGameError: when a pair is missing, or given twice with values that do not agree.
    """
    matrix = np.full((size, size), np.nan)
    np.fill_diagonal(matrix, 0.0)
    for (row, column), value in cells.items():
        if row == column:
            continue
        if not np.isnan(matrix[row, column]) and matrix[row, column] != value:
            raise MetaGameError(f"cells {row}, {column} and {column}, {row} do not agree")
        matrix[row, column], matrix[column, row] = value, -value
    missing = [(int(i), int(j)) for i, j in np.argwhere(np.isnan(matrix)) if i > j]
    if missing:
        raise MetaGameError(f"these cells were not played: {missing}")
    return matrix


def uniform(matrix: Matrix) -> Vector:
    """The mixture that plays every policy equally often."""
    _check(matrix)
    return np.full(len(matrix), 1 / len(matrix))


def nash(matrix: Matrix) -> Vector:
    """The symmetric Nash equilibrium of maximum entropy.

    One linear program finds an equilibrium and a second the largest support among all; the convex
    dual of entropy maximisation over that face then finds the mixture. Where its exploitability
    cannot be brought under 1e-7 of the largest payoff, the first equilibrium stands.

    Raises:
        MetaGameError: when the matrix is not antisymmetric or a solver fails.
    """
    _check(matrix)
    scale = float(np.abs(matrix).max())
    if scale == 0.0:
        return uniform(matrix)
    scaled = matrix / scale
    vertex = _clean(_any_equilibrium(scaled))
    if _is_unique(scaled, vertex):
        return vertex
    smooth = _maximum_entropy(scaled)
    if smooth is None or exploitability(scaled, smooth) > _ACCEPTED:
        return vertex
    return smooth


def exploitability(matrix: Matrix, mixture: Vector) -> float:
    """What the best policy *of this population* gains against the mixture (at least 0).

    It bounds exploitability in the game from below; policies that are not in the population are
    not asked.
    """
    gains = matrix @ mixture
    return max(0.0, float(gains.max() - mixture @ gains))


Solver = Callable[[Matrix], Vector]
SOLVERS: dict[str, Solver] = {"nash": nash, "uniform": uniform}


def solve(solver: str, matrix: Matrix) -> Vector:
    """The mixture of the named meta-solver; weights sum to 1.

    Raises:
        MetaGameError: on an unknown solver, or when it fails.
    """
    if solver not in SOLVERS:
        raise MetaGameError(f"no meta-solver named {solver!r}; known: {', '.join(SOLVERS)}")
    return SOLVERS[solver](matrix)


def weight_ranges(
    solver: str, matrix: Matrix, errors: Matrix, *, seed: int, draws: int = 50
) -> WeightRanges:
    """How far each weight moves when the cells move within their noise (parametric bootstrap).

    ``errors`` holds the standard error of each cell (symmetric; 0 where exact). Cells are redrawn
    as normal around their means, antisymmetry kept.
    """
    generator = np.random.default_rng(seed)
    point = solve(solver, matrix)
    drawn = []
    for _ in range(draws):
        noise = np.tril(generator.standard_normal(matrix.shape) * errors, -1)
        drawn.append(solve(solver, matrix + noise - noise.T))
    low, high = np.quantile(np.array([*drawn, point]), [0.025, 0.975], axis=0)
    return WeightRanges(
        tuple(float(x) for x in np.minimum(low, point)),
        tuple(float(x) for x in np.maximum(high, point)),
    )


def _check(matrix: Matrix) -> None:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) == 0:
        raise MetaGameError(f"a payoff matrix must be square, got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise MetaGameError(f"a payoff matrix must be finite, got {_show(matrix)}")
    if np.abs(matrix + matrix.T).max() > 1e-9 * max(1.0, float(np.abs(matrix).max())):
        raise MetaGameError(f"a payoff matrix must be antisymmetric, got {_show(matrix)}")


def _any_equilibrium(matrix: Matrix) -> Vector:
    """Maximise v so that the mixture gains at least v against every policy."""
    size = len(matrix)
    return _linear_program(
        matrix,
        np.append(np.zeros(size), -1.0),
        np.hstack([-matrix.T, np.ones((size, 1))]),
        np.zeros(size),
        np.append(np.ones(size), 0.0)[None, :],
        np.ones(1),
        [(0.0, None)] * size + [(None, None)],
    )[:size]


def _is_unique(matrix: Matrix, equilibrium: Vector) -> bool:
    """Whether it is certain that there is no other equilibrium.

    If every policy is either played or punished, all equilibria have this support and these ties
    (Goldman and Tucker 1956); they are one when the ties leave no direction to move in.
    """
    support = equilibrium > 0
    punished = equilibrium @ matrix > _ZERO
    if not (support | punished).all():
        return False
    ties = np.vstack([matrix[support][:, ~punished].T, np.ones(support.sum())])
    return bool(np.linalg.matrix_rank(ties, tol=_ZERO) == support.sum())


def _largest_faces(matrix: Matrix) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which policies some equilibrium plays, and which replies some equilibrium punishes.

    Equilibria form a cone once they may be scaled: x >= 0 and matrix.T @ x >= 0 (the value is 0).
    Maximising sum(min(x, 1)) + sum(min(gains, 1)) over it reaches every coordinate that can be
    positive at all.
    """
    size = len(matrix)
    eye, zero = np.eye(size), np.zeros((size, size))
    constraints = np.vstack(
        [
            np.hstack([-matrix.T, zero, zero]),
            np.hstack([-eye, eye, zero]),
            np.hstack([-matrix.T, zero, eye]),
        ]
    )
    solution = _linear_program(
        matrix,
        np.concatenate([np.zeros(size), -np.ones(2 * size)]),
        constraints,
        np.zeros(3 * size),
        None,
        None,
        [(0.0, None)] * size + [(0.0, 1.0)] * (2 * size),
    )
    return solution[size : 2 * size] > 0.5, solution[2 * size :] > 0.5


def _maximum_entropy(matrix: Matrix) -> Vector | None:
    """The equilibrium of maximum entropy, None where the dual does not converge.

    Over the policies of the largest support, x is proportional to exp(matrix @ multipliers), with a
    multiplier per reply: free where the reply ties in every equilibrium, else not negative.
    """
    from scipy.optimize import minimize

    support, punished = _largest_faces(matrix)
    if not support.any():
        return None
    if support.sum() == 1:
        return support.astype(np.float64)
    gains = matrix[support]

    def dual(multipliers: Vector) -> tuple[float, Vector]:
        logits = gains @ multipliers
        top = logits.max()
        weights = np.exp(logits - top)
        total = weights.sum()
        return float(top + np.log(total)), gains.T @ (weights / total)

    bounds = [(0.0, None) if free else (None, None) for free in punished]
    found = minimize(
        dual,
        np.zeros(len(matrix)),
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options={"maxiter": 5000, "maxfun": 20000, "ftol": 1e-16, "gtol": 1e-12, "maxcor": 30},
    )
    logits = gains @ found.x
    weights = np.exp(logits - logits.max())
    mixture = np.zeros(len(matrix))
    mixture[support] = weights / weights.sum()
    return _clean(mixture)


def _linear_program(
    matrix: Matrix,
    objective: Vector,
    upper: Matrix,
    upper_bound: Vector,
    equal: Matrix | None,
    equal_to: Vector | None,
    bounds: list[tuple[float | None, float | None]],
) -> Vector:
    from scipy.optimize import linprog  # late: slow to load

    result = linprog(
        objective,
        A_ub=upper,
        b_ub=upper_bound,
        A_eq=equal,
        b_eq=equal_to,
        bounds=bounds,
        method="highs",
    )
    if not result.success:
        raise MetaGameError(f"linear program failed ({result.message}) on {_show(matrix)}")
    return np.asarray(result.x, dtype=np.float64)


def _clean(mixture: Vector) -> Vector:
    """Weights below the tolerance become exactly 0; the rest sums to 1."""
    kept = np.where(mixture > WEIGHT_TOLERANCE, mixture, 0.0)
    return np.asarray(kept / kept.sum(), dtype=np.float64)


def _show(matrix: Matrix) -> str:
    return np.array2string(matrix, precision=6, threshold=400, max_line_width=200)
