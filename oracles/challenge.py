"""A challenge: any oracle against frozen opponents. What it finds bounds how exploitable they are.

Both seats are played, so the game is symmetric and its value 0: what the best response to a policy
gains is that policy's exploitability, and what any program gains is a lower bound of it. That no
exploiter was found says nothing about those that were not looked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from games.metrics import Estimate
from games.players import BotPlayer, CodePlayer
from oracles.config import RunConfig
from oracles.mixture import Mixture
from oracles.state import PolicyRecord, RunState


def frozen_population(config: RunConfig) -> list[PolicyRecord]:
    """The opponents of a challenge, in the order in which they were named."""
    return [
        PolicyRecord(
            index=index,
            name=opponent.bot or opponent.name,
            origin="bot" if opponent.bot else "initial",
            player=BotPlayer(opponent.bot) if opponent.bot else CodePlayer(opponent.source),
            iteration=None,
            candidate_key=None,
        )
        for index, opponent in enumerate(config.challenge)
    ]


def frozen_mixture(config: RunConfig) -> Mixture:
    """Their weights, summing to 1. They are given, not estimated, so each range is a point."""
    total = sum(opponent.weight for opponent in config.challenge)
    weights = tuple(opponent.weight / total for opponent in config.challenge)
    return Mixture(weights, weights, weights)


@dataclass(frozen=True)
class LowerBound:
    """What a challenge found."""

    policy: int | None
    """Index of the exploiter; None when no candidate was fit."""
    gain: Estimate | None
    """Its payoff per episode against the frozen opponents, on seeds that no search has used."""

    @property
    def found(self) -> bool:
        """Whether it gains beyond its interval; an unknown interval (one episode) shows nothing."""
        return self.gain is not None and self.gain.low is not None and self.gain.low > 0

    @property
    def value(self) -> float:
        """The lower bound: its mean gain, and 0 when no exploiter was found."""
        return self.gain.mean if self.gain is not None and self.found else 0.0


def lower_bound(state: RunState) -> LowerBound:
    """The bound so far, by the try whose candidate scored best *in its search*.

    The fresh episodes choose nothing, so that the best of many lucky tries is not the winner.
    """
    scores = {
        record.key: record.score.mean for record in state.candidates if record.score is not None
    }
    joined = {policy.index: policy.candidate_key for policy in state.population}
    tries = [item for item in state.iterations if item.policy is not None]
    best = max(
        tries,
        key=lambda item: scores.get(joined.get(item.policy or 0) or "", float("-inf")),
        default=None,
    )
    return LowerBound(None, None) if best is None else LowerBound(best.policy, best.gain)


def bound_json(bound: LowerBound) -> dict[str, Any]:
    """``{"policy", "mean", "low", "high", "found", "value"}`` as JSON data."""
    gain = bound.gain
    return {
        "policy": bound.policy,
        "mean": None if gain is None else gain.mean,
        "low": None if gain is None else gain.low,
        "high": None if gain is None else gain.high,
        "found": bound.found,
        "value": bound.value,
    }
