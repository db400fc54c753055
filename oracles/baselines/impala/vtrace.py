"""V-trace: value targets from experience of an older policy (Espeholt et al. 2018, section 4.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

RHO_BAR = 1.0
C_BAR = 1.0


def vtrace(
    *, rewards: Floats, values: Floats, discounts: Floats, log_rhos: Floats
) -> tuple[Floats, Floats]:
    """Targets of the values and advantages of the actions, both ``[T, B]``.

    Args:
        rewards: ``[T, B]``, what followed each action.
        values: ``[T + 1, B]``, the learner's values; the last row is what an unroll that goes on
            is worth (equation 1's ``V(x_{s+n})``).
        discounts: ``[T, B]``, gamma, and 0 after the last action of an episode. Beyond it there
            may be padding, which then changes nothing before it.
        log_rhos: ``[T, B]``, log of the learner's over the actor's probability of the action.
    """
    rhos = np.exp(log_rhos)
    clipped = np.minimum(rhos, RHO_BAR)
    traces = discounts * np.minimum(rhos, C_BAR)
    deltas = clipped * (rewards + discounts * values[1:] - values[:-1])
    corrections = np.zeros_like(values)
    for step in range(len(rewards) - 1, -1, -1):
        corrections[step] = deltas[step] + traces[step] * corrections[step + 1]
    targets = values + corrections
    advantages = clipped * (rewards + discounts * targets[1:] - values[:-1])
    return targets[:-1], advantages
