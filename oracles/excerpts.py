"""Short excerpts of where a proposal lost most, for the next proposal of the same task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from games.base import Game
from games.engine import MatchEngine
from games.replay import record_episode
from oracles.matches import PlayedMatch
from oracles.text import storable


@dataclass(frozen=True)
class Excerpt:
    """``text`` has only what the proposal could observe; ``payoff`` is that of the replay."""

    episode: int
    """Number of the episode, from 1."""
    payoff: float
    text: str

    def to_json(self) -> dict[str, Any]:
        return {"episode": self.episode, "payoff": self.payoff, "text": storable(self.text)}


def worst_match(played: Sequence[PlayedMatch]) -> int:
    """Index of the match with the lowest mean payoff, the first of equal ones."""
    return min(range(len(played)), key=lambda index: played[index].result.mean)


def worst_excerpt(
    game: Game,
    match: PlayedMatch,
    engine: MatchEngine,
    should_stop: Callable[[], bool] | None = None,
) -> Excerpt:
    """The worst episode of ``match``, replayed once to see what happened in it.

    Raises:
        MatchCancelled: when ``should_stop`` said so.
        EngineError: when the engine itself failed.
    """
    payoffs = match.result.payoffs
    worst = min(range(len(payoffs)), key=lambda index: payoffs[index])
    plays = record_episode(engine, match.spec, worst, should_stop=should_stop)
    payoff = sum(play.payoff for play in plays) / len(plays)
    return Excerpt(worst + 1, payoff, game.excerpt(plays))
