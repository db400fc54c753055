"""Rows for the pages, out of what the loop knows: Policy, Candidate, Iteration and Cell.

They are written again from nothing by ``save(run, before=None, after=state)``; otherwise only what
differs from ``before`` is written. Doing either twice leaves the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.db.models import F, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from csro_web.changes import fingerprints
from csro_web.policies.models import Candidate, Policy
from csro_web.runs import effects, weights
from csro_web.runs.models import Cell, Iteration, Match, Run
from csro_web.runs.models import RunState as Stage
from csro_web.search import services as search
from games.metrics import Estimate
from games.players import CodePlayer
from oracles.challenge import bound_json, lower_bound
from oracles.report import exact_json
from oracles.state import (
    CandidateRecord,
    CellRecord,
    IterationRecord,
    PolicyRecord,
    RunState,
    Summary,
)
from oracles.text import storable

ROWS_AT_ONCE = 200
"""Rows that one statement writes."""


def save(
    run: Run,
    *,
    before: RunState | None,
    after: RunState,
    changed: Sequence[effects.Changed] | None = None,
) -> None:
    """Write the rows in which ``after`` differs from ``before`` (None: all), inside a transaction.

    The run's own columns are written too, except ``change`` and what people decide (its state,
    unless the loop has ended). ``changed`` is ``effects.between(before, after)``, which takes a
    while and is best found before the transaction.
    """
    _save_candidates(run, _new(before.candidates if before else (), after.candidates))
    _save_policies(run, _new(before.population if before else (), after.population))
    _remember_programs(before, after)
    _save_iterations(run, _new(before.iterations if before else (), after.iterations))
    _save_cells(run, _new(before.cells if before else (), after.cells))
    effects.save(run, effects.between(before, after) if changed is None else changed)
    _save_weights(run, before, after)
    _save_run(run, after)


def _new(before: Sequence[Any], after: Sequence[Any]) -> list[Any]:
    """Records that are new or have changed; records keep their place once they have one."""
    return [r for i, r in enumerate(after) if i >= len(before) or before[i] != r]


def _bounds(prefix: str, estimate: Estimate | None) -> dict[str, float | None]:
    if estimate is None:
        return {f"{prefix}_{part}": None for part in ("mean", "low", "high")}
    return {
        f"{prefix}_mean": estimate.mean,
        f"{prefix}_low": estimate.low,
        f"{prefix}_high": estimate.high,
    }


def _save_candidates(run: Run, records: list[CandidateRecord]) -> None:
    ids: dict[str, int] = {}
    parents = {record.parent for record in records if record.parent}
    for record in records:
        ids[record.key] = Candidate.objects.update_or_create(
            run=run, key=record.key, defaults=_candidate(record)
        )[0].pk
    known = Candidate.objects.filter(run=run, key__in=parents - ids.keys())
    ids.update(known.values_list("key", "pk"))
    for record in records:
        if record.parent:
            own = Candidate.objects.filter(pk=ids[record.key])
            own.update(parent_id=ids[record.parent])


def _candidate(record: CandidateRecord) -> dict[str, Any]:
    return {
        "iteration": record.iteration,
        "attempt": record.attempt,
        "messages": storable([dict(message) for message in record.messages]),
        "prompt_version": record.prompt_version or "",
        "context_use": dict(record.context_use),
        "completion": storable(record.completion),
        "model": storable(record.model or ""),
        "accepted": record.accepted,
        "reason": storable(record.reason),
        "line": record.line,
        "source": storable(record.source or ""),
        "sha256": record.sha256 or "",
        "repairs": storable(list(record.repairs)),
        "episodes": record.score.episodes if record.score else None,
        "per_opponent": storable([dict(row) for row in record.per_opponent]),
        "faults": dict(record.faults),
        "tracebacks": storable(list(record.tracebacks)),
        "feedback": storable(record.feedback),
        "improved": record.improved,
        "training": None if record.training is None else storable(dict(record.training)),
        "evolved": asdict(record.evolved) if record.evolved else None,
        **_bounds("score", record.score),
        **_bounds("difference", record.paired_difference),
    }


def _save_policies(run: Run, records: list[PolicyRecord]) -> None:
    ids = dict(Policy.objects.filter(run=run).values_list("index", "pk"))
    keys = [record.candidate_key for record in records if record.candidate_key]
    candidates = dict(Candidate.objects.filter(run=run, key__in=keys).values_list("key", "pk"))
    for record in records:
        found = {
            "faults": dict(record.faults),
            "withdrawn_by": record.withdrawn_by,
            **_summary(record.summary),
        }
        if record.index in ids:  # its source never changes, what is found out about it may
            Policy.objects.filter(pk=ids[record.index]).update(**found)
            continue
        code = record.player if isinstance(record.player, CodePlayer) else None
        policy = Policy.objects.create(
            run=run,
            index=record.index,
            name=storable(record.name),
            origin=record.origin,
            source=storable(code.source) if code else "",
            sha256=code.sha256 if code else "",
            iteration=record.iteration,
            change_number=record.change,
            candidate_id=candidates[record.candidate_key] if record.candidate_key else None,
            **found,
        )
        ids[record.index] = policy.pk
        policy.parents.set([ids[index] for index in record.parents])


def _summary(summary: Summary | None) -> dict[str, str]:
    if summary is None:
        return {}
    return {
        "summary": storable(summary.text or ""),
        "summary_model": storable(summary.model or "")[:200],
        "summary_note": storable(summary.note),
    }


def _save_iterations(run: Run, records: list[IterationRecord]) -> None:
    for record in records:
        Iteration.objects.update_or_create(
            run=run,
            index=record.index,
            defaults={
                "sigma": list(record.sigma),
                "sigma_low": list(record.sigma_low),
                "sigma_high": list(record.sigma_high),
                "policy_index": record.policy,
                "finished": record.finished,
                "note": storable(record.note),
                "evolution": asdict(record.evolution) if record.evolution else None,
                **_bounds("gain", record.gain),
            },
        )


def _remember_programs(before: RunState | None, after: RunState) -> None:
    records = _new(before.candidates if before else (), after.candidates)
    sources = {one.sha256: storable(one.source) for one in records if one.sha256 and one.source}
    joined = _new(before.population if before else (), after.population)
    players = [one.player for one in joined if isinstance(one.player, CodePlayer)]
    sources |= {one.sha256: storable(one.source) for one in players}
    search.remember(sources)
    fingerprints.remember(sources)


def _save_weights(run: Run, before: RunState | None, after: RunState) -> None:
    mixture = weights.newest(after)
    joined = before is None or len(before.population) != len(after.population)
    if joined or before is None or weights.newest(before) != mixture:
        weights.save(run, mixture)


def _save_cells(run: Run, records: list[CellRecord]) -> None:
    keys = [record.match_key for record in records]
    matches = dict(Match.objects.filter(key__in=keys).values_list("key", "pk"))
    rows = [
        Cell(
            run=run,
            row=record.row,
            column=record.column,
            match_id=matches[record.match_key],
            mean=record.estimate.mean,
            low=record.estimate.low,
            high=record.estimate.high,
        )
        for record in records
    ]
    Cell.objects.bulk_create(
        rows,
        batch_size=ROWS_AT_ONCE,
        update_conflicts=True,
        unique_fields=["run", "row", "column"],
        update_fields=["match", "mean", "low", "high"],
    )


def _save_run(run: Run, state: RunState) -> None:
    changes: dict[str, Any] = {
        "steps_done": state.steps_done,
        "steps_expected": max(state.steps_expected, state.steps_done),
        "sandbox_level": state.sandbox_level or "",
        "final_sigma": _as_list(state.final_sigma),
        "final_sigma_low": _as_list(state.final_sigma_low),
        "final_sigma_high": _as_list(state.final_sigma_high),
        "mixture_quality": None if state.quality is None else asdict(state.quality),
        "best_policy_index": state.best_policy,
        "stop_reason": storable(state.stop_reason),
        "agent": None if state.agent is None else storable(asdict(state.agent)),
        "decisions": state.decisions,
        "change": F("change") + 1,
    }
    if run.is_challenge:
        changes["lower_bound"] = bound_json(lower_bound(state))
    if state.finished:
        changes["state"] = Stage.FINISHED
    if state.finished or state.evaluated:
        # When the search ended: what people change in the population later does not move it.
        changes["ended_at"] = Coalesce("ended_at", Value(timezone.now()))
        changes["held_out"] = storable([asdict(found) for found in state.held_out])
        changes["exact"] = None if state.exact is None else exact_json(state.exact)
    Run.objects.filter(pk=run.pk).update(**changes)


def _as_list(weights: Sequence[float] | None) -> list[float] | None:
    return None if weights is None else list(weights)
