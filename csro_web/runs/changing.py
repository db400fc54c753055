"""Recording what a person changed: a step that is done the moment it is there."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.db import IntegrityError, transaction
from django.db.models import F, Max
from django.utils import timezone

from csro_web.runs import effects, known, projections, queue, steps
from csro_web.runs.models import Run, RunState, Step, StepState
from csro_web.runs.results import SAVABLE, TRIES
from oracles import loop
from oracles.change_book import next_place
from oracles.changes import change_key
from oracles.config import RunConfig
from oracles.state import RunState as Known
from oracles.steps import StepKind, StepResult

CHANGEABLE = (*SAVABLE, RunState.FINISHED)

Decide = Callable[[Known, int | None], StepResult]
"""From what is known of the run, and where the change takes effect, to its step's result."""
Write = Callable[[int, StepResult], None]
"""Writes rows that belong to the change, given its number and its step's result."""


class NotChangeable(Exception):
    """The run was cancelled or has failed meanwhile: nothing is added to it."""


class _MovedOn(Exception):
    """Another result of the run was saved since they were read: all is undone."""


def record_change(run: Run, *, decide: Decide, write: Write, audit: Write) -> int:
    """Save a change with everything that follows from it; its number.

    As :func:`csro_web.runs.results.record_result`, it goes through only if no other result was
    saved since ``decide`` looked at them, and is tried again otherwise. A finished run goes on.
    ``decide`` may raise to refuse the change. ``audit`` writes last.

    Raises:
        NotChangeable: when the run was cancelled or has failed.
    """
    for _ in range(TRIES):
        try:
            number = _try(run.pk, decide, write, audit)
        except _MovedOn:
            time.sleep(0.01)
            continue
        queue.send_ready(run_id=run.pk)
        return number
    raise RuntimeError(f"the results of run {run.pk} do not agree with its count of them")


def _try(run_id: int, decide: Decide, write: Write, audit: Write) -> int:
    run = Run.objects.get(pk=run_id)
    config = RunConfig.from_json(run.config)
    before, results = known.state(run, config)
    if len(results) != run.folded:
        raise _MovedOn
    result = decide(before, next_place(config, before))
    number = len(before.changes) + 1
    after = loop.fold(config, {**results, change_key(number): result})
    changed = effects.between(before, after)
    try:
        with transaction.atomic():
            _count(run)
            _add_step(run, number, result)
            write(number, result)
            projections.save(run, before=before, after=after, changed=changed)
            steps.add_steps(run.pk, after)
            audit(number, result)
    except IntegrityError as error:
        if Step.objects.filter(run=run, key=change_key(number)).exists():
            raise _MovedOn from error  # somebody else's change has this number
        raise
    return number


def _count(run: Run) -> None:
    """One conditional UPDATE decides whether the run is still as it was read."""
    same = Run.objects.filter(pk=run.pk, folded=run.folded, state__in=CHANGEABLE)
    if not same.update(folded=F("folded") + 1):
        if Run.objects.filter(pk=run.pk, state__in=CHANGEABLE).exists():
            raise _MovedOn
        raise NotChangeable
    Run.objects.filter(pk=run.pk, state=RunState.FINISHED).update(state=RunState.RUNNING)


def _add_step(run: Run, number: int, result: StepResult) -> None:
    last = Step.objects.filter(run=run).aggregate(last=Max("order"))["last"]
    Step.objects.create(
        run=run,
        key=change_key(number),
        kind=str(StepKind.CHANGE),
        label=f"change {number}: recorded",
        order=0 if last is None else last + 1,
        state=StepState.DONE,
        result=dict(result),
        ended_at=timezone.now(),
    )
