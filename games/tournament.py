"""Seeds by name, and what the played cells say together."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from games.metagame import Matrix, payoff_matrix
from games.metrics import Estimate


def derive_seed(root: int, key: str) -> int:
    """A child of ``SeedSequence(root)`` by name, in [0, 2**63): the same in any order of work."""
    digest = hashlib.sha256(key.encode()).digest()
    words = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    sequence = np.random.SeedSequence(root, spawn_key=words)
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))


def matrices(size: int, cells: Mapping[tuple[int, int], Estimate]) -> tuple[Matrix, Matrix]:
    """The payoff matrix and the standard errors of its cells (NaN where unknown).

    Raises:
        MetaGameError: when a pair was not played.
    """
    means = payoff_matrix(size, {cell: value.mean for cell, value in cells.items()})
    errors = np.zeros((size, size))
    for (row, column), value in cells.items():
        known = value.standard_error
        errors[row, column] = errors[column, row] = np.nan if known is None else known
    return means, errors
