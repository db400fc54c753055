"""LP Nash: the symmetric equilibrium of maximum entropy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from games.metagame.matrix import Matrix, MetaGameError, Vector, check, clean, exploitability, show

_ZERO = 1e-9
_ACCEPTED = 1e-7
"""Exploitability, as a share of the largest payoff, up to which a mixture counts as solved."""


def nash(matrix: Matrix) -> Vector:
    """The symmetric Nash equilibrium of maximum entropy.

    One linear program finds an equilibrium and a second the largest support among all; the convex
    dual of entropy maximisation over that face then finds the mixture. Where its exploitability
    cannot be brought under 1e-7 of the largest payoff, the first equilibrium stands.

    Raises:
        MetaGameError: when the matrix is not antisymmetric or a solver fails.
    """
    check(matrix)
    scale = float(np.abs(matrix).max())
    if scale == 0.0:
        return np.full(len(matrix), 1 / len(matrix))
    scaled = matrix / scale
    vertex = clean(_any_equilibrium(scaled))
    if _is_unique(scaled, vertex):
        return vertex
    smooth = _maximum_entropy(scaled)
    if smooth is None or exploitability(scaled, smooth) > _ACCEPTED:
        return vertex
    return smooth


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
    return clean(mixture)


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
        raise MetaGameError(f"linear program failed ({result.message}) on {show(matrix)}")
    return np.asarray(result.x, dtype=np.float64)
