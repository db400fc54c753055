"""Meta-solvers that iterate: many small steps whose average approaches an equilibrium.

All work on a *stack* of antisymmetric matrices, shape (draws, policies, policies), and answer with
a mixture for each, shape (draws, policies): a bootstrap costs little more than one solution. Both
players of a symmetric game start alike and so stay alike: one of them is followed. Payoffs are
scaled so that the largest of a matrix is 1; step sizes and temperatures are in that unit.

The number of iterations is fixed, so that the same matrix always has the same mixture. How far it
is from an equilibrium is for :func:`games.metagame.solution` to say.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Stack = NDArray[np.float64]
Mixtures = NDArray[np.float64]

REGRET_ITERATIONS = 5_000
PRD_ITERATIONS = 10_000
PRD_STEP = 0.05
PRD_FLOOR = 1e-6
FICTITIOUS_ITERATIONS = 10_000
SHOR_ITERATIONS = 5_000
SHOR_BLEND = (0.3, 0.01)
SHOR_TEMPERATURE = (0.5, 0.01)


def regret_matching(stack: Stack) -> Mixtures:
    """Regret matching+ with linear averaging (Tammelin 2014, arXiv:1407.5042).

    Regrets below 0 are forgotten and the t-th mixture counts t times. Exploitability falls at least
    as 1 / sqrt(iterations).
    """
    scaled = _scaled(stack)
    regrets = np.zeros(scaled.shape[:2])
    total = np.zeros(scaled.shape[:2])
    for iteration in range(1, REGRET_ITERATIONS + 1):
        mixture = _matched(regrets)
        total += iteration * mixture
        # The mixture itself gains 0 against itself, so that a gain is a regret.
        regrets = np.maximum(regrets + _gains(scaled, mixture), 0.0)
    return _normalised(total)


def prd(stack: Stack) -> Mixtures:
    """Projected replicator dynamics (Lanctot et al. 2017, arXiv:1711.00832, section 3.1).

    The average of a trajectory from the uniform mixture, each point kept within the mixtures that
    play everything with at least 1e-6. A step of size h leaves an error of the order of
    log(policies) / (h * iterations) + h.
    """
    scaled = _scaled(stack)
    mixture = np.full(scaled.shape[:2], 1 / scaled.shape[1])
    total = mixture.copy()
    for _ in range(PRD_ITERATIONS):
        mixture = mixture * (1 + PRD_STEP * _gains(scaled, mixture))
        outside = mixture.min(axis=1) < PRD_FLOOR
        if outside.any():
            mixture[outside] = projected(mixture[outside], PRD_FLOOR)
        total += mixture
    return _normalised(total)


def fictitious_play(stack: Stack) -> Mixtures:
    """Fictitious play (Brown 1951; Robinson 1951): best replies to the average of all earlier ones.

    Converges in zero-sum games, slowly: typically as 1 / sqrt(iterations). Of several best replies
    the first is taken.
    """
    scaled = _scaled(stack)
    draws = np.arange(len(scaled))
    counts = np.zeros(scaled.shape[:2])
    gains = scaled.mean(axis=2)
    columns = np.ascontiguousarray(scaled.transpose(0, 2, 1))
    for _ in range(FICTITIOUS_ITERATIONS):
        reply = gains.argmax(axis=1)
        counts[draws, reply] += 1
        gains += columns[draws, reply]
    return counts / FICTITIOUS_ITERATIONS


def shor(stack: Stack) -> Mixtures:
    """Smoothed hybrid of optimistic regret matching (SHOR-PSRO, arXiv:2602.16928).

    Each iterate is ``(1 - blend) * optimistic regret matching + blend * softmax(gains /
    temperature)``, a tempered distribution over the best pure policies; the mixture is the linear
    average of the iterates. Blend and temperature are annealed geometrically.

    This is the mechanism of the paper, not its tuning: it anneals over the solver's own iterations
    where the paper anneals over those of PSRO, and leaves out the diversity bonus, so that a
    mixture depends on its matrix alone.
    """
    scaled = _scaled(stack)
    regrets = np.zeros(scaled.shape[:2])
    total = np.zeros(scaled.shape[:2])
    gains = scaled.mean(axis=2)
    blends = np.geomspace(*SHOR_BLEND, SHOR_ITERATIONS)
    temperatures = np.geomspace(*SHOR_TEMPERATURE, SHOR_ITERATIONS)
    for iteration in range(SHOR_ITERATIONS):
        # Optimism: the last gains are expected once more (Syrgkanis et al. 2015).
        matched = _matched(np.maximum(regrets + gains, 0.0))
        tempered = np.exp((gains - gains.max(axis=1, keepdims=True)) / temperatures[iteration])
        mixture = (1 - blends[iteration]) * matched + blends[iteration] * _normalised(tempered)
        total += (iteration + 1) * mixture
        gains = _gains(scaled, mixture)
        regrets = np.maximum(regrets + gains, 0.0)
    return _normalised(total)


def _scaled(stack: Stack) -> Stack:
    largest = np.abs(stack).max(axis=(1, 2), keepdims=True)
    return np.asarray(stack / np.where(largest > 0, largest, 1.0), dtype=np.float64)


def _gains(stack: Stack, mixtures: Mixtures) -> Mixtures:
    """Payoff of each policy against the mixture; the mixture's own is 0 by antisymmetry."""
    return np.asarray(np.matmul(stack, mixtures[:, :, None])[:, :, 0], dtype=np.float64)


def _matched(regrets: Mixtures) -> Mixtures:
    """In proportion to the regrets; uniform where there are none."""
    totals = regrets.sum(axis=1, keepdims=True)
    even = np.full_like(regrets, 1 / regrets.shape[1])
    np.divide(regrets, totals, out=even, where=totals > 0)
    return even


def _normalised(weights: Mixtures) -> Mixtures:
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)


def projected(points: Mixtures, floor: float) -> Mixtures:
    """The nearest points of the simplex with no weight below ``floor``."""
    size = points.shape[1]
    floor = min(floor, 1 / size)
    room = 1 - size * floor
    falling = -np.sort(-(points - floor), axis=1)
    shift = (np.cumsum(falling, axis=1) - room) / np.arange(1, size + 1)
    kept = (falling > shift).sum(axis=1)
    chosen = shift[np.arange(len(points)), np.maximum(kept, 1) - 1]
    moved = np.maximum(points - floor - chosen[:, None], 0.0) + floor
    return np.asarray(moved, dtype=np.float64)
