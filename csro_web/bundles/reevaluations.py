"""Re-evaluations of a manifest beside what their seeds, programs and matches give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from csro_web.bundles.matches import Sample
from csro_web.bundles.recomputing import Figure
from csro_web.bundles.verifying import Finding
from games.match import MatchResult, MatchSpec, SandboxLevel, SeatReport
from games.metrics import Estimate
from games.players import BotPlayer, CodePlayer
from games.registry import get_game
from oracles.config import RunConfig
from oracles.estimates import weighted_mean
from oracles.reevaluated import Played, found_in
from oracles.reevaluation import episodes_for, held_out_specs, opponent_spec

Row = Mapping[str, Any]


class MatchesMissing(LookupError):
    """The bundle lacks matches of the re-evaluation."""


@dataclass(frozen=True)
class Attempt:
    """A re-evaluation with a result. ``supports``: a current approval rests on it."""

    index: int
    row: Row
    supports: bool

    @property
    def name(self) -> str:
        return f"re-evaluation {self.row['number']} of policy {self.index}"


@dataclass(frozen=True)
class Compared:
    """``figures`` that were computed anew; ``unchecked`` re-evaluations that could not be."""

    figures: int
    findings: tuple[Finding, ...]
    unchecked: tuple[str, ...]


def compare_attempts(
    manifest: Row, matches: Mapping[str, Row], sources: Mapping[str, str]
) -> Compared:
    """Every figure of every re-evaluation beside what the ``matches`` (by key) give."""
    count, findings, unchecked = 0, list[Finding](), list[str]()
    for attempt in attempts(manifest):
        try:
            compared = list(figures_of(manifest, attempt, matches, sources))
        except MatchesMissing as error:
            other = attempt.row["engine_version"] != manifest["engine_version"]
            if other:
                unchecked.append(f"{attempt.name} (engine {attempt.row['engine_version']})")
            elif attempt.supports:
                words = f"an approval rests on it and its matches are not in the bundle: {error}"
                findings.append(Finding(attempt.name, words))
            else:
                unchecked.append(attempt.name)
            continue
        count += len(compared)
        findings += [
            Finding(attempt.name, f"{place} is {stated} in the bundle and {computed} anew")
            for place, stated, computed in compared
            if not _agree(stated, computed)
        ]
    return Compared(count, tuple(findings), tuple(unchecked))


def _agree(stated: Any, computed: Any) -> bool:
    kinds = {type(stated), type(computed)}
    if kinds <= {int, float} and kinds != {int}:  # seeds and counts are compared exactly
        return Figure("", stated, computed).agrees
    return type(stated) is type(computed) and stated == computed


def attempts(manifest: Row) -> list[Attempt]:
    return [
        Attempt(record["index"], row, any(_rests_on(one, row) for one in record["approvals"]))
        for record in manifest["record"]
        for row in record["reevaluations"]
        if row["found"] is not None
    ]


def _rests_on(approval: Row, attempt: Row) -> bool:
    return approval["lapsed_at"] is None and approval["reevaluation"] == attempt["number"]


def specs_of(
    manifest: Row, attempt: Row, source: str, sources: Mapping[str, str]
) -> tuple[list[MatchSpec], list[MatchSpec]]:
    """Its matches, held out and against members of the population, as seed and program decide."""
    game = get_game(manifest["game"]["name"], manifest["game"]["params"])
    player = CodePlayer(source)
    population = {row["index"]: row for row in manifest["population"]}
    decided = {"episodes": attempt["episodes"], "seed": attempt["seed"]}
    held_out = held_out_specs(player, game, **decided)
    against = [
        opponent_spec(
            player,
            _player(population[one["index"]], sources),
            game=game.name,
            params=game.params,
            **decided,
        )
        for one in attempt["found"]["opponents"]
    ]
    return list(held_out.values()), against


def _player(row: Row, sources: Mapping[str, str]) -> CodePlayer | BotPlayer:
    return BotPlayer(row["name"]) if row["sha256"] is None else CodePlayer(sources[row["sha256"]])


def figures_of(
    manifest: Row, attempt: Attempt, matches: Mapping[str, Row], sources: Mapping[str, str]
) -> Iterator[tuple[str, Any, Any]]:
    """Place, stated and computed value of each figure; also of those that agree.

    Raises:
        MatchesMissing: when the manifest has not all of its matches.
    """
    row, stated = attempt.row, attempt.row["found"]
    population = {one["index"]: one for one in manifest["population"]}
    own = population[attempt.index]
    held_out, against = specs_of(manifest, row, sources[own["sha256"]], sources)
    keys = [_key(spec, matches, row["engine_version"]) for spec in (*held_out, *against)]
    played = [
        Played(spec.seed, _result(matches[key]), Sample.of(matches[key]).bound)
        for spec, key in zip((*held_out, *against), keys, strict=True)
    ]
    computed = found_in(
        RunConfig.from_json(manifest["run"]["config"]),
        index=attempt.index,
        held_out=played[: len(held_out)],
        opponents=stated["opponents"],
        against=played[len(held_out) :],
        claimed={one["name"]: one["claimed"] for one in stated["claims"]},
    )
    for at, one in enumerate(computed["opponents"]):
        named = population[stated["opponents"][at]["index"]]["name"]
        one.update(name=named, seed=against[at].seed, match=keys[len(held_out) + at])
    for part, value in computed.items():
        yield from _leaves(part, stated.get(part), value)
    for part in ("faults", "engine_version", "sandbox_level"):
        yield from _leaves(f"its own {part}", row[part], computed[part])
    required = episodes_for(manifest["game"]["name"])
    yield "episodes", min(row["episodes"], required), required
    yield "program", row["program_sha256"], own["sha256"]
    yield from _claims(manifest, attempt, matches)


def _key(spec: MatchSpec, matches: Mapping[str, Row], engine_version: str) -> str:
    for level in SandboxLevel:
        if (key := spec.key(level, engine_version=engine_version)) in matches:
            return key
    raise MatchesMissing(f"the match against {spec.b.key} with seed {spec.seed} is not in it")


def _result(row: Row) -> MatchResult:
    return MatchResult(
        payoffs=tuple(row["payoffs"]),
        a=SeatReport(dict(row["faults"]["a"])),
        b=SeatReport(dict(row["faults"]["b"])),
        decisions=row["decisions"],
        seconds=0.0,
        sandbox_level=SandboxLevel(row["sandbox_level"]),
        reproducible=row["reproducible"],
        engine_version=row["engine_version"],
    )


def _claims(
    manifest: Row, attempt: Attempt, matches: Mapping[str, Row]
) -> Iterator[tuple[str, Any, Any]]:
    """What the run claimed, where the bundle holds what it rests on: the row of the matrix and the
    held-out figures."""
    claimed = {one["name"]: one["claimed"] for one in attempt.row["found"]["claims"]}
    scores = [one for one in manifest["evaluations"] if one["policy"] == attempt.index]
    for name in ("pop_return", "pop_expl", "agg_score"):
        if name in claimed and scores:
            yield from _leaves(f"claimed {name}", claimed[name], scores[0][name])
    row = _row_against(manifest, attempt, matches)
    if "row" in claimed and row is not None:
        yield from _leaves("claimed row", claimed["row"], asdict(row))


def _row_against(manifest: Row, attempt: Attempt, matches: Mapping[str, Row]) -> Estimate | None:
    """Its row of the payoff matrix against the mixture; None where a cell is not in the bundle."""
    samples: dict[int, Sample] = {}
    for cell in manifest["cells"]:
        sample = Sample.of(matches[cell["match"]])
        if cell["row"] == attempt.index:
            samples[cell["column"]] = sample
        elif cell["column"] == attempt.index:
            mirrored = tuple(-payoff for payoff in sample.payoffs)
            samples[cell["row"]] = replace(sample, payoffs=mirrored)
    used = [one for one in attempt.row["found"]["opponents"] if one["newest"] > 0]
    if not {one["index"] for one in used} <= samples.keys():
        return None
    met = [samples[one["index"]] for one in used]
    return weighted_mean(
        [sample.payoffs for sample in met],
        [one["newest"] for one in used],
        bounds=[sample.bound for sample in met],
    )


def _leaves(place: str, stated: Any, computed: Any) -> Iterator[tuple[str, Any, Any]]:
    """Both values wherever ``computed`` has one, through lists and objects."""
    if isinstance(computed, Mapping):
        if not isinstance(stated, Mapping):
            yield place, stated, computed
            return
        if place.rpartition(" ")[2] in ("faults", "opponent_faults"):
            yield place, dict(stated), dict(computed)
            return
        for key, value in computed.items():
            yield from _leaves(f"{place}, {key}", stated.get(key), value)
    elif isinstance(computed, (list, tuple)):
        if not isinstance(stated, list) or len(stated) != len(computed):
            yield place, stated, computed
            return
        for at, (old, new) in enumerate(zip(stated, computed, strict=True)):
            yield from _leaves(f"{place}, {at}", old, new)
    else:
        yield place, stated, computed


def unsupported_approvals(manifest: Row) -> Iterator[Finding]:
    """Policies that are called approved without an approval of their program that rests on a
    re-evaluation with a result."""
    records = {record["index"]: record for record in manifest["record"]}
    for row in manifest["population"]:
        if row["approved"] is not True or row["included"] is not True:
            continue
        record = records[row["index"]]
        done = {
            one["number"]
            for one in record["reevaluations"]
            if one["found"] is not None and one["program_sha256"] == row["sha256"]
        }
        current = [one for one in record["approvals"] if one["lapsed_at"] is None]
        if not any(
            one["program_sha256"] == row["sha256"] and one["reevaluation"] in done
            for one in current
        ):
            where = f"policy {row['index']}"
            yield Finding(where, "it is called approved, and no approval of it in the record is")
