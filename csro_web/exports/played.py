"""The matches that an export's figures rest on, as its manifest lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from csro_web.bundles.matches import Sample, Samples, match_row
from csro_web.policies.models import Policy
from csro_web.policies.players import player_of
from csro_web.runs.models import Cell, Match, Run
from games.match import MatchResult, MatchSpec, SandboxLevel
from games.players import Player


class MatchBook:
    """Matches by key, each once."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}

    def add(self, match: Match, a: Player, b: Player, judged: Mapping[str, Any]) -> str:
        """List a stored match that these two played, as it was ``judged``; its key."""
        spec = MatchSpec(
            game=match.game,
            params=match.params,
            a=a,
            b=b,
            episodes=match.episodes,
            seed=match.seed,
            batch_size=match.batch_size,
        )
        return self.put(spec, MatchResult.from_json(match.result), judged=judged)

    def put(
        self, spec: MatchSpec, result: MatchResult, *, judged: Mapping[str, Any] | None = None
    ) -> str:
        row = match_row(spec, result, judged=judged)
        self.rows[row["key"]] = row
        return str(row["key"])

    def listed(self) -> list[dict[str, Any]]:
        return [self.rows[key] for key in sorted(self.rows)]

    def samples(self) -> Samples:
        return {key: Sample.of(row) for key, row in self.rows.items()}


def cell_rows(
    run: Run, members: Sequence[Policy], book: MatchBook, *, only: int | None = None
) -> list[dict[str, Any]]:
    """The payoff matrix below its diagonal, or the cells of one policy (its index). 1 query."""
    players = {member.index: player_of(member) for member in members}
    rows = []
    for cell in Cell.objects.filter(run=run).select_related("match").order_by("row", "column"):
        if only is not None and only not in (cell.row, cell.column):
            continue
        found = {"mean": cell.mean, "low": cell.low, "high": cell.high}
        key = book.add(cell.match, players[cell.row], players[cell.column], found)
        rows.append({"row": cell.row, "column": cell.column, "match": key, **found})
    return rows


def stored(
    specs: Sequence[MatchSpec], known: Sequence[str | None] | None = None
) -> list[MatchResult | None]:
    """What the specs gave when they were played here, at any sandbox level. 1 query.

    ``known`` are the keys that a record kept of its matches (None: not kept). The others are those
    of the engine as it is now: an older version gave other numbers, under other keys.
    """
    keys = [
        {"kept": key} if key else {str(level): spec.key(level) for level in SandboxLevel}
        for spec, key in zip(specs, known or [None] * len(specs), strict=True)
    ]
    wanted = [key for by_level in keys for key in by_level.values()]
    found = dict(Match.objects.filter(key__in=wanted).values_list("key", "result"))
    results: list[MatchResult | None] = []
    for by_level in keys:
        known = [found[key] for key in by_level.values() if key in found]
        results.append(MatchResult.from_json(known[0]) if known else None)
    return results
