"""A trial's result, as pages show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from csro_web.changes.edit_models import Trial
from csro_web.pages import numbers
from csro_web.policies.models import Policy
from csro_web.runs.catalogue import GameFacts, facts_of

Figures = Mapping[str, Any]
"""mean, low, high, episodes."""


@dataclass(frozen=True)
class Row:
    """One opponent: the payoffs of the parent and of the edit, and their paired difference."""

    opponent: Policy | None
    index: int
    weight: float | None
    before: Figures | None
    after: Figures | None
    difference: Figures | None
    seed: int | None
    faults: Mapping[str, int]


@dataclass(frozen=True)
class Report:
    """Rows in the order they are played, those without a result yet included."""

    facts: GameFacts
    rows: tuple[Row, ...]
    mixture: Mapping[str, Figures] | None
    knows_mixture: bool
    faults: Mapping[str, int]
    tracebacks: tuple[str, ...]
    output: str
    level: str
    engine_version: str
    """Empty while unknown, and in trials from before it was kept."""
    hopeless: str
    reproducible: bool
    done: int
    left_out: int


def report_on(trial: Trial) -> Report:
    """From the job's result, or from what it has reported so far. 1 query."""
    job = trial.job
    found: Mapping[str, Any] = job.result or job.partial or {}
    wanted = job.inputs["opponents"]
    members = Policy.objects.filter(pk__in=[one["policy"] for one in wanted]).defer("source")
    by_pk = {member.pk: member for member in members}
    played = {row["index"]: row for row in found.get("rows", ())}
    rows = [_row(by_pk.get(one["policy"]), one["weight"], played) for one in wanted]
    return Report(
        facts=facts_of(trial.run),
        rows=tuple(rows),
        mixture=found.get("mixture"),
        knows_mixture=any(one["weight"] for one in wanted),
        faults=found.get("faults", {}),
        tracebacks=_distinct([found, *played.values()]),
        output=next((row["output"] for row in [*played.values(), found] if row.get("output")), ""),
        level=found.get("level", ""),
        engine_version=found.get("engine_version", ""),
        hopeless=found.get("hopeless", ""),
        reproducible=all(row["reproducible"] for row in played.values()),
        done=len(played),
        left_out=job.inputs.get("left_out", 0),
    )


def _row(member: Policy | None, weight: float | None, played: Mapping[int, Any]) -> Row:
    found = played.get(member.index, {}) if member is not None else {}
    return Row(
        opponent=member,
        index=-1 if member is None else member.index,
        weight=weight,
        before=found.get("before"),
        after=found.get("after"),
        difference=found.get("difference"),
        seed=found.get("seed"),
        faults=found.get("faults", {}),
    )


def _distinct(parts: list[Mapping[str, Any]]) -> tuple[str, ...]:
    texts = [text for part in parts for text in part.get("tracebacks", ())]
    return tuple(dict.fromkeys(texts))[:3]


def in_words(trial: Trial) -> str:
    """One line for lists and forms: ``+12.0 ± 5.1 against the mixture``."""
    job = trial.job
    if not job.is_over:
        return "still playing"
    result = job.result
    if result is None:
        return job.get_state_display().lower()
    if result["hopeless"]:
        return "could not be played"
    mixture = result["mixture"]
    if mixture is None:
        words = "no mixture was known"
    else:
        change = mixture["difference"]
        words = (
            f"{numbers.payoff(change['mean'], change['low'], change['high'])} against the mixture"
        )
    return f"{words}, with faults" if result["faults"] else words
