"""Saving what a step found, once, together with everything that follows from it."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from django.db import transaction

from csro_web.leases.rows import LeasedRows
from csro_web.runs import leases, queue
from csro_web.runs.models import Step, StepState
from csro_web.runs.together import SAVABLE, Moment, Over, until_it_counts
from oracles.steps import StepResult


class Saved(Enum):
    YES = auto()
    LEASE_LOST = auto()
    """Somebody else has the step, or has done it: this result is discarded."""
    RUN_ENDED = auto()
    """The run was cancelled or has failed meanwhile: nothing is added to it."""


def record_result(*, step_id: int, owner: str, result: StepResult, announce: bool = True) -> Saved:
    """Save a result, the rows that follow from it and the next steps, or nothing at all.

    How it goes through while others save theirs: :mod:`csro_web.runs.together`.

    Raises:
        ValueError: when the result is not plain JSON data.
    """
    mine = leases.held(step_id, owner)
    return _record(step_id, mine, result, announce=announce, together=_nothing)


def record_answer(*, step_id: int, result: StepResult, together: Callable[[], None]) -> Saved:
    """Save what a person answered to a step that waits for people; ``together`` is done with it.

    ``LEASE_LOST`` means that the step does not wait any more: somebody else was first.
    """
    waiting = Step.objects.filter(pk=step_id, state=StepState.WAITING)
    return _record(step_id, waiting, result, announce=True, together=together)


def _nothing() -> None:
    """A worker has nothing to write together with its result."""


def _record(
    step_id: int,
    mine: LeasedRows,
    result: StepResult,
    *,
    announce: bool,
    together: Callable[[], None],
) -> Saved:
    run_id = Step.objects.values_list("run_id", flat=True).get(pk=step_id)
    try:
        saved = until_it_counts(run_id, lambda: _try(step_id, mine, result, together))
    except Over:
        return Saved.RUN_ENDED
    if announce and saved is Saved.YES:
        queue.send_ready()
    return saved


def _try(step_id: int, mine: LeasedRows, result: StepResult, together: Callable[[], None]) -> Saved:
    step = Step.objects.select_related("run").only("key", "run").get(pk=step_id)
    following = Moment.of(step.run).with_result(step.key, result)
    with transaction.atomic():
        # The order step, then run is the same wherever both are written: no deadlock.
        if not mine.finish(result):
            return Saved.LEASE_LOST
        following.count(SAVABLE)
        following.save()
        together()
    return Saved.YES
