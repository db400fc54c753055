"""Matches by content, in the database: the same match is never played twice, in any run."""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Mapping, Sequence

from csro_web.runs.models import Match
from games.match import MatchResult, MatchSpec
from games.players import Player
from games.registry import get_game
from oracles.text import storable

KEYS_AT_ONCE = 500
LONGEST_KEY = 90
MATCHES_AT_ONCE = 4
"""The piece of a long job: seconds of work, after which pages learn how far it is and others may
go first."""


class DatabaseMatchStore:
    """:class:`oracles.loop.MatchStore` on the Match table."""

    def get(self, keys: Sequence[str]) -> Mapping[str, MatchResult]:
        """Results of those of the matches that were played before."""
        found: dict[str, MatchResult] = {}
        for start in range(0, len(keys), KEYS_AT_ONCE):
            rows = Match.objects.filter(key__in=keys[start : start + KEYS_AT_ONCE])
            for key, result in rows.values_list("key", "result"):
                found[key] = MatchResult.from_json(result)
        return found

    def put(self, results: Mapping[str, tuple[MatchSpec, MatchResult]]) -> None:
        """Keep results; one that is there already stays as it is (equal keys, equal numbers)."""
        rows = [_row(key, spec, result) for key, (spec, result) in results.items()]
        Match.objects.bulk_create(rows, batch_size=100, ignore_conflicts=True)


def stored_bound(game: str, low: float | None, high: float | None) -> float:
    """The bound (:mod:`games.metrics`) that an interval of a match was made with.

    Only matches that pay the same in every episode have intervals of width 0, and those that were
    judged before it was asked whether they do.
    """
    exact = low is not None and low == high
    return 0.0 if exact else get_game(game).largest_payoff


def _row(key: str, spec: MatchSpec, result: MatchResult) -> Match:
    many = len(result.payoffs) > 1
    return Match(
        key=key,
        game=spec.game,
        params=storable(dict(spec.params)),
        a=player_column(spec.a),
        b=player_column(spec.b),
        episodes=spec.episodes,
        seed=spec.seed,
        batch_size=spec.batch_size,
        sandbox_level=str(result.sandbox_level),
        engine_version=result.engine_version,
        mean=result.mean,
        variance=statistics.variance(result.payoffs) if many else None,
        faults_a=result.a.total,
        faults_b=result.b.total,
        result=result.to_json(),
    )


def player_column(player: Player) -> str:
    """A player's key as the Match table holds it: a long one (a mixture's) by its hash."""
    if len(player.key) <= LONGEST_KEY:
        return player.key
    return "sha256:" + hashlib.sha256(player.key.encode()).hexdigest()
