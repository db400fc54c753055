"""Whether the matches that figures rest on are those of the players and seeds that they name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from csro_web.bundles.verifying import Finding
from games.match import SandboxLevel
from oracles.mixture import support, support_weights

Row = Mapping[str, Any]


def misplaced_matches(manifest: Row) -> Iterator[Finding]:
    """Cells and scores whose match is another one, and a sandbox level that no match has."""
    matches = {row["key"]: row for row in manifest["matches"]}
    members = {row["index"]: _described(row) for row in manifest["population"]}
    for cell in manifest["cells"]:
        match = matches[cell["match"]]
        if (match["a"], match["b"]) != (members[cell["row"]], members[cell["column"]]):
            where = f"cell {cell['row']}, {cell['column']}"
            yield Finding(where, "its match was not played by these two policies")
    for scores in manifest["evaluations"]:
        yield from _scores(scores, matches, _subject(scores, manifest, members))
    levels = [str(level) for level in SandboxLevel]
    used = [row["sandbox_level"] for row in manifest["matches"]]
    weakest = max(used, key=levels.index, default=None)
    if manifest["sandbox_level"] != weakest:
        stated = manifest["sandbox_level"]
        yield Finding("sandbox level", f"{stated} in the bundle and {weakest} by its matches")


def _scores(
    scores: Row, matches: Mapping[str, Row], subject: Mapping[str, Any] | None
) -> Iterator[Finding]:
    for one in scores["opponents"]:
        if one["match"] is None:
            continue
        match = matches[one["match"]]
        where = f"{str(scores['subject']).replace('_', ' ')} against {one['name']}"
        if match["b"] != {"bot": one["name"]}:
            yield Finding(where, "its match was played against somebody else")
        if subject is not None and match["a"] != subject:
            yield Finding(where, "its match was played by somebody else")
        if one["seed"] != match["seed"]:
            yield Finding(where, f"seed {one['seed']} in the bundle and {match['seed']} played")


def _described(row: Row) -> dict[str, Any]:
    """A member as :func:`csro_web.bundles.matches.describe` has it."""
    return {"bot": row["name"]} if row["sha256"] is None else {"code": row["sha256"]}


def _subject(
    scores: Row, manifest: Row, members: Mapping[int, dict[str, Any]]
) -> dict[str, Any] | None:
    """Who must have played. None for the run's own final mixture, which the bundle has not."""
    if scores["policy"] is not None:
        return members[scores["policy"]]
    if scores["subject"] != "exported_mixture":
        return None
    weights = manifest["mixture"]["exported"]["weights"]
    played = [members[index] for index in support(weights)]
    if len(played) == 1:
        return played[0]
    shares = support_weights(weights)
    return {"mixture": [list(pair) for pair in zip(shares, played, strict=True)]}
