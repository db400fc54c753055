"""Recording what a person changed: a step that is done the moment it is there."""

from __future__ import annotations

from collections.abc import Callable

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from csro_web.runs import queue
from csro_web.runs.models import Run, RunState, Step, StepState
from csro_web.runs.together import SAVABLE, Moment, MovedOn, Over, until_it_counts
from oracles.change_book import next_place
from oracles.changes import change_key
from oracles.state import RunState as Known
from oracles.steps import StepKind, StepResult

CHANGEABLE = (*SAVABLE, RunState.FINISHED)

Decide = Callable[[Known, int | None], StepResult]
"""From what is known of the run, and where the change takes effect, to its step's result."""
Write = Callable[[int, StepResult], None]
"""Writes rows that belong to the change, given its number and its step's result."""


class NotChangeable(Exception):
    """The run was cancelled or has failed meanwhile: nothing is added to it."""


def record_change(run: Run, *, decide: Decide, write: Write, audit: Write) -> int:
    """Save a change with everything that follows from it; its number.

    How it goes through while others save theirs: :mod:`csro_web.runs.together`; ``decide`` is asked
    anew each time. A finished run goes on. ``decide`` may raise to refuse the change. ``audit``
    writes last.

    Raises:
        NotChangeable: when the run was cancelled or has failed.
    """
    try:
        number = until_it_counts(run.pk, lambda: _try(run.pk, decide, write, audit))
    except Over as error:
        raise NotChangeable from error
    queue.send_ready()
    return number


def _try(run_id: int, decide: Decide, write: Write, audit: Write) -> int:
    now = Moment.of(Run.objects.get(pk=run_id))
    result = decide(now.known, next_place(now.config, now.known))
    number = len(now.known.changes) + 1
    following = now.with_result(change_key(number), result)
    try:
        with transaction.atomic():
            following.count(CHANGEABLE)
            Run.objects.filter(pk=run_id, state=RunState.FINISHED).update(state=RunState.RUNNING)
            _add_step(now.run, number, result)
            write(number, result)
            following.save()
            audit(number, result)
    except IntegrityError as error:
        if Step.objects.filter(run=run_id, key=change_key(number)).exists():
            raise MovedOn from error  # somebody else's change has this number
        raise
    return number


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
