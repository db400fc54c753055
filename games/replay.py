"""Recorded episodes: everything that happened at the table, as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from games.batches import Batch, BatchResult
from games.engine import MatchEngine
from games.local_engine import LocalEngine
from games.match import MatchResult, MatchSpec


@dataclass(frozen=True)
class Episode:
    """One play of an episode. ``a`` sat at seat 1 if ``swapped``; ``payoff`` is that of ``a``.

    ``moves`` is the game's own record: for RRPS ``{"throws", "opponent_throws"}`` of seat 0; for
    Leduc a list of hands ``{"cards", "public_card", "betting", "payoff"}``, payoffs of seat 0.
    """

    index: int
    swapped: bool
    a: str
    b: str
    payoff: float
    moves: Any


@dataclass(frozen=True)
class Recording:
    """A match with all its episodes, in order."""

    spec: MatchSpec
    result: MatchResult
    episodes: tuple[Episode, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.spec.game,
            "game_params": dict(self.spec.params),
            "a": self.spec.a.key,
            "b": self.spec.b.key,
            "seed": self.spec.seed,
            "result": self.result.to_json(),
            "episodes": [vars(episode) for episode in self.episodes],
        }


def record_match(
    engine: LocalEngine, spec: MatchSpec, *, should_stop: Callable[[], bool] | None = None
) -> Recording:
    """Play a match and keep every episode. Raises what :meth:`LocalEngine.play` raises."""
    result, batches = engine.play_recorded(spec, should_stop=should_stop)
    return Recording(spec, result, _episodes(batches))


def record_episode(
    engine: MatchEngine,
    spec: MatchSpec,
    index: int,
    *,
    should_stop: Callable[[], bool] | None = None,
) -> tuple[Episode, ...]:
    """The plays of one episode: two, with the seats swapped, where the seats differ.

    The episode is played alone. A policy that keeps something outside of its instances may play
    other moves than it did beside the match's other episodes.
    """
    return _episodes(engine.record_episode(spec, index, should_stop=should_stop))


def _episodes(batches: Sequence[tuple[Batch, BatchResult]]) -> tuple[Episode, ...]:
    episodes = [
        Episode(index, batch.swapped, batch.a.key, batch.b.key, payoff, moves)
        for batch, played in batches
        for index, payoff, moves in zip(batch.episodes, played.payoffs, played.records, strict=True)
    ]
    return tuple(sorted(episodes, key=lambda episode: (episode.index, episode.swapped)))
