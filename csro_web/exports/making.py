"""From what is stored about a run to the bytes of a bundle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from csro_web import signing
from csro_web.bundles.archive import ArchiveError
from csro_web.bundles.naming import file_name, package_name
from csro_web.bundles.package import Program, UnfitSource, package_members, path_of
from csro_web.bundles.readme import readme
from csro_web.bundles.reevaluations import attempts, specs_of
from csro_web.bundles.report.page import report_page
from csro_web.bundles.solving import cell_records, mixture_rows
from csro_web.bundles.writing import write_bundle
from csro_web.exports import evaluations
from csro_web.exports.choosing import Choice, ExportRefused, Place, require
from csro_web.exports.played import MatchBook, cell_rows, stored
from csro_web.exports.provenance import provenance_rows
from csro_web.exports.record import record_rows
from csro_web.version import VERSION
from games.base import Game
from games.engine import MatchEngine
from games.match import ENGINE_VERSION, MatchResult, MatchSpec, SandboxLevel
from games.metagame import MetaGameError
from games.registry import get_game
from games.tournament import derive_seed
from oracles.config import RunConfig


@dataclass(frozen=True)
class Order:
    """What decides a bundle beside the stored run: who asked, when, and the trail's head then."""

    made_at: str
    """ISO 8601, UTC."""
    made_by: str | None
    """None: somebody at a terminal."""
    audit_head: Mapping[str, Any]


@dataclass(frozen=True)
class Surroundings:
    """What making a bundle needs of the process that does it."""

    engine: Callable[[], MatchEngine]
    should_stop: Callable[[], bool]
    give_way: Callable[[], None]
    report: Callable[[int, int, str], None]
    """``report(done, total, words)``."""


@dataclass(frozen=True)
class Made:
    name: str
    """Of the file."""
    data: bytes
    summary: dict[str, Any]


def make(choice: Choice, order: Order, surroundings: Surroundings) -> Made:
    """The bundle. The same stored run and order give the same bytes.

    Raises:
        ExportRefused: when there is nothing to export, or not as a file; the message says why.
        MatchCancelled: when ``should_stop`` said so.
    """
    require(choice)
    draft = choice.draft
    subject = f"run_{choice.run.pk}" if choice.policy is None else f"policy_{choice.policy.pk}"
    package = package_name(subject, draft=draft)
    programs = {
        place.policy.index: Program(place.policy.index, place.policy.name, place.policy.source)
        for place in choice.places
        if place.policy.source
    }
    facts = _facts(choice, order, surroundings, package, programs)
    signer, keys = signing.signer_and_keys()
    facts["signing_keys"] = [key.row() for key in keys]
    try:
        members = _members(choice, package, programs, facts)
        data = write_bundle(facts, members, signer)
    except (UnfitSource, ArchiveError) as error:
        raise ExportRefused(f"this cannot be exported: {error}") from error
    return Made(file_name(package, draft=draft), data, _summary(choice, facts))


def _facts(
    choice: Choice,
    order: Order,
    surroundings: Surroundings,
    package: str,
    programs: Mapping[int, Program],
) -> dict[str, Any]:
    run, members = choice.run, [place.policy for place in choice.places]
    config = RunConfig.from_json(run.config)
    game = get_game(config.game, config.params)
    book = MatchBook()
    only = None if choice.is_solvable or choice.policy is None else choice.policy.index
    cells = cell_rows(run, members, book, only=only)
    mixture = _mixture(choice, config, cells, book)
    scores = evaluations.run_evaluations(run, config, game, members, book)
    scores += _exported_score(choice, config, game, mixture, book, surroundings)
    included = [place.policy for place in choice.included]
    facts = {
        "package": package,
        "draft": choice.draft,
        "kind": "run" if choice.policy is None else "policy",
        "made_at": order.made_at,
        "made_by": order.made_by,
        "application_version": VERSION,
        "engine_version": ENGINE_VERSION,
        "game": {
            "name": game.name,
            "title": game.title,
            "params": dict(game.params),
            "payoff_unit": game.payoff_unit,
        },
        "run": {
            "number": run.pk,
            "name": run.name,
            "state": run.state,
            "launched_by": run.launched_by.get_username() if run.launched_by else None,
            "created_at": run.created_at.isoformat(),
            "ended_at": None if run.ended_at is None else run.ended_at.isoformat(),
            "config": config.to_json(),
        },
        "population": [_row(place, package, programs) for place in choice.places],
        "mixture": mixture,
        "cells": cells,
        "evaluations": scores,
        "provenance": provenance_rows(run, included),
        "record": record_rows(included),
        "audit_head": dict(order.audit_head),
    }
    sources = {member.sha256: member.source for member in members if member.source}
    for spec, result, judged in _of_reevaluations(facts, sources):
        book.put(spec, result, judged=judged)
    matches = book.listed()
    return {**facts, "matches": matches, "sandbox_level": _weakest(matches)}


def _of_reevaluations(
    facts: Mapping[str, Any], sources: Mapping[str, str]
) -> Iterator[tuple[MatchSpec, MatchResult, Mapping[str, Any] | None]]:
    """The matches of all re-evaluations with a result, as far as they are kept, and the figures
    that they were shown with."""
    hashes = {row["index"]: row["sha256"] for row in facts["population"]}
    for attempt in attempts(facts):
        held_out, against = specs_of(facts, attempt.row, sources[hashes[attempt.index]], sources)
        specs, found = [*held_out, *against], attempt.row["found"]
        shown = {f"bot:{one['name']}": one["estimate"] for one in found["held_out"]["opponents"]}
        judged = [
            *(shown.get(spec.b.key) for spec in held_out),
            *(one["estimate"] for one in found["opponents"]),
        ]
        known = [*(None for _ in held_out), *(one["match"] for one in found["opponents"])]
        for spec, result, figures in zip(specs, stored(specs, known), judged, strict=True):
            if result is not None:
                yield spec, result, figures


def _mixture(
    choice: Choice, config: RunConfig, cells: list[dict[str, Any]], book: MatchBook
) -> dict[str, Any] | None:
    """None where no matrix is complete: a single policy of a run that goes on."""
    if not choice.is_solvable:
        return None
    try:
        return mixture_rows(
            cell_records(cells, book.samples()),
            size=len(choice.places),
            active=[place.policy.index for place in choice.places if place.active],
            keep=[place.policy.index for place in choice.included],
            solver=str(config.evaluation_solver),
            seed=derive_seed(config.seed, "export/solve"),
        )
    except MetaGameError as error:
        raise ExportRefused(f"the mixture cannot be solved: {error}"[:500]) from error


def _exported_score(
    choice: Choice,
    config: RunConfig,
    game: Game,
    mixture: dict[str, Any] | None,
    book: MatchBook,
    surroundings: Surroundings,
) -> list[dict[str, Any]]:
    """What is handed over, scored on seeds of its own; held-out figures wait for a run's end."""
    if mixture is None or not choice.run.search_is_over:
        return []
    members = [place.policy for place in choice.places]
    subject = evaluations.mixture_player(members, mixture["exported"]["weights"])
    words = "playing what is exported against the evaluation population"
    return [
        evaluations.play_exported(
            choice.run,
            config,
            game,
            subject,
            book,
            engine=surroundings.engine,
            should_stop=surroundings.should_stop,
            give_way=surroundings.give_way,
            report=lambda done, total: surroundings.report(done, total, words),
        )
    ]


def _row(place: Place, package: str, programs: Mapping[int, Program]) -> dict[str, Any]:
    policy = place.policy
    return {
        "index": policy.index,
        "name": policy.name,
        "origin": policy.origin,
        "sha256": policy.sha256 or None,
        "state": str(place.state),
        "approved": place.approved,
        "included": place.included,
        "why_not": place.why_not,
        "withdrawn_by": policy.withdrawn_by,
        "faults": policy.faults,
        "member": _member(place, package, programs),
    }


def _member(place: Place, package: str, programs: Mapping[int, Program]) -> str | None:
    program = programs.get(place.policy.index)
    if program is None:
        return None
    if place.included:
        return path_of(package, program)
    return f"evidence/{program.module}.py.txt"


def _members(
    choice: Choice, package: str, programs: Mapping[int, Program], facts: Mapping[str, Any]
) -> list[tuple[str, bytes]]:
    packed = [programs[place.policy.index] for place in choice.included]
    mixture = facts["mixture"]
    weights = (
        [1.0] if mixture is None else [mixture["exported"]["weights"][p.index] for p in packed]
    )
    about = f"Policies for {facts['game']['name']} from run {choice.run.pk} of CSRO."
    game = get_game(facts["game"]["name"], facts["game"]["params"])
    evidence = [
        (row["member"], programs[row["index"]].content)
        for row in facts["population"]
        if row["member"] is not None and not row["included"]
    ]
    sources = {program.index: program.source for program in packed}
    return [
        ("README.txt", readme(facts).encode("ascii")),
        ("report.html", report_page(facts, sources).encode("utf-8")),
        *package_members(
            package, packed, weights, game=game.game_dict(), about=about, draft=choice.draft
        ),
        *evidence,
    ]


def _weakest(matches: list[dict[str, Any]]) -> str | None:
    """The weakest sandbox level among the matches; None without any."""
    levels = [str(level) for level in SandboxLevel]
    return max((match["sandbox_level"] for match in matches), key=levels.index, default=None)


def _summary(choice: Choice, facts: Mapping[str, Any]) -> dict[str, Any]:
    """What lists and pages show of the bundle without opening it."""
    return {
        "policies": [
            {"index": p.policy.index, "name": p.policy.name, "approved": p.approved}
            for p in choice.included
        ],
        "left_out": [
            {"index": p.policy.index, "name": p.policy.name, "why": p.why_not}
            for p in choice.left_out
        ],
        "mixture": facts["mixture"],
        "sandbox_level": facts["sandbox_level"],
        "scores": [
            {key: value for key, value in one.items() if key != "opponents"}
            for one in facts["evaluations"]
        ],
    }
