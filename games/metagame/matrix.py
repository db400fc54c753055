"""The payoff matrix between policies, and what is true of any mixture over them.

Matrices are antisymmetric, ``matrix[i, j]`` being the mean payoff of policy i against policy j:
both games are zero-sum, and where the seats differ they are averaged.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

WEIGHT_TOLERANCE = 1e-9


class MetaGameError(ArithmeticError):
    """A solver failed, or the matrix is none; the message holds the matrix."""


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


def exploitability(matrix: Matrix, mixture: Vector) -> float:
    """What the best policy *of this population* gains against the mixture (at least 0).

    It bounds exploitability in the game from below; policies that are not in the population are
    not asked.
    """
    gains = matrix @ mixture
    return max(0.0, float(gains.max() - mixture @ gains))


def check(matrix: Matrix) -> None:
    """Raises MetaGameError when ``matrix`` is not square, finite and antisymmetric."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) == 0:
        raise MetaGameError(f"a payoff matrix must be square, got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise MetaGameError(f"a payoff matrix must be finite, got {show(matrix)}")
    if np.abs(matrix + matrix.T).max() > 1e-9 * max(1.0, float(np.abs(matrix).max())):
        raise MetaGameError(f"a payoff matrix must be antisymmetric, got {show(matrix)}")


def clean(mixture: Vector) -> Vector:
    """Weights below the tolerance become exactly 0; the rest sums to 1."""
    kept = np.where(mixture > WEIGHT_TOLERANCE, mixture, 0.0)
    return np.asarray(kept / kept.sum(), dtype=np.float64)


def show(matrix: Matrix) -> str:
    return np.array2string(matrix, precision=6, threshold=400, max_line_width=200)
