"""Alpha-rank: how much of the time evolution spends at each policy."""

from __future__ import annotations

import numpy as np

from games.metagame.dynamics import Mixtures, Stack
from games.metagame.matrix import MetaGameError, show

NOISE = 0.01
"""Probability with which a worse policy takes over (epsilon of Rowland et al. 2019)."""


def alpha_rank(stack: Stack) -> Mixtures:
    """Stationary distribution of single-population alpha-rank at infinite alpha.

    Omidshafiei et al. 2019 (arXiv:1903.01373); the limit with noise of Rowland et al. 2019
    (arXiv:1909.09849): from a policy the chain moves to each that beats it with probability
    ``(1 - NOISE) / (policies - 1)``, to each that ties with ``0.5 / (policies - 1)``, to each that
    loses with ``NOISE / (policies - 1)``. One population is enough: the game is symmetric.

    It is a ranking by response, no equilibrium: only who beats whom counts, not by how much.

    Args:
        stack: antisymmetric matrices, shape (draws, policies, policies).

    Raises:
        MetaGameError: when a chain has no single stationary distribution; the message holds the
            matrix.
    """
    size = stack.shape[1]
    if size == 1:
        return np.ones(stack.shape[:2])
    # entry [s, r]: from s to r, by the payoff of r against s
    payoffs = stack.transpose(0, 2, 1)
    chances = np.where(payoffs > 0, 1 - NOISE, np.where(payoffs < 0, NOISE, 0.5))
    chain = chances / (size - 1)
    diagonal = np.arange(size)
    chain[:, diagonal, diagonal] = 0.0
    chain[:, diagonal, diagonal] = 1 - chain.sum(axis=2)
    # pi (chain - 1) = 0 and sum(pi) = 1: one of the first equations follows from the others
    equations = chain.transpose(0, 2, 1) - np.eye(size)
    equations[:, -1, :] = 1.0
    right = np.zeros((len(stack), size, 1))
    right[:, -1] = 1.0
    try:
        found = np.linalg.solve(equations, right)[:, :, 0]
    except np.linalg.LinAlgError as error:
        raise MetaGameError(f"alpha-rank failed ({error}) on {show(stack[0])}") from error
    if not np.isfinite(found).all() or found.min() < -1e-9:
        raise MetaGameError(f"alpha-rank found no distribution on {show(stack[0])}")
    return np.maximum(found, 0.0)
