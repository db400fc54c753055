"""What has been measured in this database, method by method, beside what was published."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, Q, QuerySet

from csro_web.calls.models import RESEND, ModelCall
from csro_web.changes.selectors import changed_in_search
from csro_web.policies.models import Candidate, Policy
from csro_web.runs import sets
from csro_web.runs.comparison import Score, scores
from csro_web.runs.models import Run, RunState
from csro_web.solving.published import PUBLISHED, PublishedRow
from games.base import GameError
from games.match import SandboxLevel
from games.registry import get_game
from oracles.config import ConfigError, ContextMode, OracleName, RunConfig, WriterName
from oracles.options import Agent

METHODS: Mapping[OracleName, str] = {
    OracleName.IMPALA: "PSRO-IMPALA",
    OracleName.ZERO_SHOT: "CSRO, ZeroShot",
    OracleName.BEST_OF_N: "CSRO, best of N",
    OracleName.LINEAR_REFINEMENT: "CSRO, LinearRefinement",
    OracleName.ALPHA_EVOLVE: "CSRO, AlphaEvolve",
    OracleName.LLM_AGENT: "LLM agent, called every turn",
    OracleName.CFR: "CFR+",
}
LONGEST_VALUE = 30
"""Characters of a setting that a line shows; of a prompt's text it only says that it is an own."""
UNTUNED = "untuned"
"""Ends the subject of figures over those opponents alone that the writer was not tuned on."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Runs of one method with the same settings: they differ in their seeds alone."""

    settings: str
    runs: tuple[Run, ...]
    scores: tuple[Score, ...]
    sandbox_level: str
    """The weakest of all; empty while unknown."""
    calls: int
    policies: int
    """That joined the populations."""
    tried: int
    failed: int
    """Of the generations that were tried: refused, unanswered, or with faults when played."""

    @property
    def seeds(self) -> list[int]:
        return sorted(run.seed for run in self.runs)

    @property
    def calls_per_policy(self) -> float | None:
        """Requests to models for each policy that joined; None when none did."""
        return self.calls / self.policies if self.policies else None

    @property
    def failed_share(self) -> float | None:
        return self.failed / self.tried if self.tried else None


@dataclass(frozen=True)
class Method:
    """``published`` is None where the paper has no figures, ``measured`` empty before a run."""

    oracle: OracleName
    name: str
    published: PublishedRow | None
    measured: tuple[Measured, ...]


def methods(game: str, *, among: QuerySet[Run] | None = None) -> list[Method]:
    """Every method, those of the papers in their order first, measured by the runs ``among`` these
    (None: all). 4 queries; each look is counted."""
    runs = _comparable(game, Run.objects.all() if among is None else among)
    sets.count_looks(runs)
    published = {row.oracle: row for row in PUBLISHED.get(game, ()) if row.oracle}
    order = [*published, *(oracle for oracle in METHODS if oracle not in published)]
    counts = _Counts.of(runs)
    return [
        Method(
            oracle,
            METHODS[oracle],
            published.get(oracle),
            tuple(_measured([run for run in runs if run.oracle == str(oracle)], counts)),
        )
        for oracle in order
    ]


def without_counterpart(game: str) -> list[PublishedRow]:
    """Published rows of what CSRO does not run."""
    return [row for row in PUBLISHED.get(game, ()) if row.oracle is None]


def _comparable(game: str, among: QuerySet[Run]) -> list[Run]:
    """Finished runs with scores, newest first. Challenges answer another question, a replay is the
    run that it repeats, and where people changed the population it was not the method alone."""
    revised = Q(state__in=(RunState.RUNNING, RunState.PAUSED), ended_at__isnull=False)
    found = among.filter(Q(state=RunState.FINISHED) | revised, game=game, held_out__isnull=False)
    own = found.exclude(changed_in_search())
    others = own.exclude(writer=str(WriterName.REPLAY)).order_by("-pk")
    return [run for run in others if not run.config.get("challenge")]


@dataclass(frozen=True)
class _Counts:
    calls: Mapping[int, int]
    policies: Mapping[int, int]
    tried: Mapping[int, int]
    failed: Mapping[int, int]

    @classmethod
    def of(cls, runs: Sequence[Run]) -> _Counts:
        ids = [run.pk for run in runs]
        joined = Policy.objects.filter(run__in=ids, iteration__isnull=False)
        asked = ModelCall.objects.filter(run__in=ids)
        tried = Candidate.objects.filter(run__in=ids).values("run").order_by()
        failed = Q(accepted=False) | ~Q(faults={})
        rows = list(tried.annotate(n=Count("pk"), bad=Count("pk", filter=failed)))
        return cls(
            calls=_by_run(asked.exclude(key__startswith=RESEND)),
            policies=_by_run(joined),
            tried={row["run"]: row["n"] for row in rows},
            failed={row["run"]: row["bad"] for row in rows},
        )


def _by_run(rows: Any) -> dict[int, int]:
    counted = rows.values("run").order_by().annotate(n=Count("pk"))
    return {row["run"]: row["n"] for row in counted}


def _measured(runs: Iterable[Run], counts: _Counts) -> Iterable[Measured]:
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(_same_settings(run), []).append(run)
    yield from _told_apart([_of_group(_independent(same), counts) for same in groups.values()])


def _told_apart(found: Sequence[Measured]) -> Iterable[Measured]:
    """Lines whose settings would read alike also name the ones in which they differ."""
    alike = Counter(one.settings for one in found)
    for one in found:
        others = [other for other in found if other.settings == one.settings]
        yield one if alike[one.settings] == 1 else replace(one, settings=_apart(one, others))


def _apart(one: Measured, alike: Sequence[Measured]) -> str:
    own, *others = (_flat(_complete(other.runs[0])) for other in (one, *alike))
    differ = [name for name in own if any(other.get(name) != own[name] for other in others)]
    words = (
        f"own {name}" if len(str(own[name])) > LONGEST_VALUE else f"{name} = {own[name]}"
        for name in differ
        if own[name] is not None and name not in ("seed", "split")
    )
    return ", ".join([one.settings, *words])


def _flat(settings: Mapping[str, Any], within: str = "") -> dict[str, Any]:
    """Nested settings by the words that lead to them: ``budget calls``."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        words = f"{within} {name}".strip().replace("_", " ")
        found.update(_flat(value, words) if isinstance(value, Mapping) else {words: value})
    return found


def _of_group(runs: Sequence[Run], counts: _Counts) -> Measured:
    def total(by_run: Mapping[int, int]) -> int:
        return sum(by_run.get(run.pk, 0) for run in runs)

    return Measured(
        settings=settings_in_words(runs[0].config),
        runs=tuple(runs),
        scores=tuple(_scores([run.held_out for run in runs if run.held_out], runs[0].game)),
        sandbox_level=_weakest(runs),
        calls=total(counts.calls),
        policies=total(counts.policies),
        tried=total(counts.tried),
        failed=total(counts.failed),
    )


def _scores(held_out: Sequence[Sequence[Mapping[str, Any]]], game: str) -> list[Score]:
    found = scores(held_out, game=game)
    apart = [[{**one, **one["untuned"]} for one in run if one.get("untuned")] for run in held_out]
    untuned = [
        replace(one, subject=f"{one.subject}, {UNTUNED}") for one in scores(apart, game=game)
    ]
    return found + untuned


def _same_settings(run: Run) -> str:
    """Equal for runs that differ in nothing but their seed (or in which split they hold out)."""
    config = _complete(run)
    split = config.get("split") is not None
    return json.dumps({**config, "seed": 0, "split": split}, sort_keys=True)


def _complete(run: Run) -> dict[str, Any]:
    """Its settings, with the defaults of those that came later than the run."""
    try:
        return RunConfig.from_json(run.config).to_json()
    except ConfigError:  # of a version that knew other choices
        return dict(run.config)


def _independent(runs: Sequence[Run]) -> list[Run]:
    """The newest run of each seed where seed and settings decide everything; else all of them."""
    config = runs[0].config
    asks = config.get("writer") in (str(WriterName.LLM), str(WriterName.MANUAL))
    if asks or config.get("oracle") == str(OracleName.LLM_AGENT):
        return list(runs)
    newest: dict[tuple[Any, Any], Run] = {}
    for run in runs:
        newest.setdefault((run.seed, run.config.get("split")), run)
    return list(newest.values())


def _weakest(runs: Sequence[Run]) -> str:
    levels = [run.sandbox_level for run in runs]
    order = [str(level) for level in SandboxLevel]
    return "" if not all(level in order for level in levels) else max(levels, key=order.index)


def settings_in_words(config: Mapping[str, Any]) -> str:
    """What tells these runs from others of their method, shortly."""
    oracle = OracleName(config["oracle"])
    models = [ref["model"] for ref in (config.get("model") or {}).get("models", [])]
    words = [*_of_the_search(oracle, config), *models]
    if config.get("split") is not None:
        words.append("10 of the 43 bots held out")
    words += [f"{name} = {value}" for name, value in _own_params(config)]
    if config.get("initial"):
        words.append("own initial population")
    return ", ".join(words)


def _own_params(config: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Game parameters that are not the default."""
    try:
        usual = get_game(str(config["game"])).default_params()
    except GameError:
        usual = {}
    params = config.get("params") or {}
    return [(name, value) for name, value in params.items() if usual.get(name) != value]


def _of_the_search(oracle: OracleName, config: Mapping[str, Any]) -> list[str]:
    count = config["iterations"]
    iterations = f"{count} iteration{'' if count == 1 else 's'}"
    match oracle:
        case OracleName.CFR:
            return [f"{config.get('cfr_iterations', 0):,} iterations of CFR+"]
        case OracleName.LLM_AGENT:
            agent = Agent.from_json(config.get("agent") or {})
            return [
                f"a sample: at most {agent.turns:,} turns an episode",
                f"{agent.opponents} opponent{'' if agent.opponents == 1 else 's'}",
            ]
        case OracleName.IMPALA:
            frames = (config.get("impala") or {}).get("frames", 0)
            return [iterations, f"{frames:,} frames each"]
        case OracleName.LINEAR_REFINEMENT:
            proposals = [f"M = {config['refinements']}"]
        case OracleName.BEST_OF_N | OracleName.ALPHA_EVOLVE:
            proposals = [f"{config['proposals']} proposals"]
        case _:
            proposals = []
    hidden = config["context"] == str(ContextMode.NONE)
    shown = "no opponents" if hidden else f"{config['context']}, {config['opponents']}"
    return [str(config["writer"]), iterations, *proposals, shown]
