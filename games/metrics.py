"""PopReturn, PopExpl and AggScore with 95 % intervals."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval, in the game's payoff unit.

    ``low`` and ``high`` are None when the interval is unknown (a single episode).
    """

    mean: float
    low: float | None
    high: float | None
    episodes: int
