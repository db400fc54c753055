"""Saving what a step found, once, together with everything that follows from it."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum, auto

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from csro_web.runs import effects, known, projections, queue, steps
from csro_web.runs.leases import WORKABLE
from csro_web.runs.models import Run, RunState, Step, StepState
from oracles import loop
from oracles.config import RunConfig
from oracles.steps import StepResult

TRIES = 1000
"""Each one that fails means that another step of the run was saved, so few are ever needed."""

SAVABLE = (*WORKABLE, RunState.PAUSED)


class Saved(Enum):
    YES = auto()
    LEASE_LOST = auto()
    """Somebody else has the step, or has done it: this result is discarded."""
    RUN_ENDED = auto()
    """The run was cancelled or has failed meanwhile: nothing is added to it."""


class _RunMovedOn(Exception):
    """Another step of the run was saved since its results were read: all is undone."""


class _RunEnded(Exception):
    """The run was cancelled or has failed meanwhile: all is undone."""


def record_result(*, step_id: int, owner: str, result: StepResult, announce: bool = True) -> Saved:
    """Save a result, the rows that follow from it and the next steps, or nothing at all.

    What follows is computed outside the transaction from the results read before; the transaction
    goes through only if no other result was saved since, and is tried again otherwise.

    Raises:
        ValueError: when the result is not plain JSON data.
    """
    mine = Step.objects.filter(pk=step_id, owner=owner, state=StepState.CLAIMED)
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
    mine: QuerySet[Step],
    result: StepResult,
    *,
    announce: bool,
    together: Callable[[], None],
) -> Saved:
    for _ in range(TRIES):
        try:
            saved = _try(step_id, mine, result, together)
        except _RunMovedOn:
            time.sleep(0.01)
            continue
        except _RunEnded:
            return Saved.RUN_ENDED
        if announce and saved is Saved.YES:
            queue.send_ready()
        return saved
    raise RuntimeError(f"the results of step {step_id}'s run do not agree with its count of them")


def _try(
    step_id: int, mine: QuerySet[Step], result: StepResult, together: Callable[[], None]
) -> Saved:
    step = Step.objects.select_related("run").only("key", "run").get(pk=step_id)
    run = step.run
    config = RunConfig.from_json(run.config)
    before, results = known.state(run, config)
    if len(results) != run.folded:
        raise _RunMovedOn
    after = loop.fold(config, {**results, step.key: result})
    changed = effects.between(before, after)
    with transaction.atomic():
        # The order step, then run is the same wherever both are written: no deadlock.
        now = timezone.now()
        if not mine.update(
            state=StepState.DONE, result=dict(result), lease_until=None, ended_at=now, failure=""
        ):
            return Saved.LEASE_LOST
        same = Run.objects.filter(pk=run.pk, folded=run.folded, state__in=SAVABLE)
        if not same.update(folded=F("folded") + 1):
            going_on = Run.objects.filter(pk=run.pk, state__in=SAVABLE).exists()
            raise _RunMovedOn if going_on else _RunEnded
        projections.save(run, before=before, after=after, changed=changed)
        steps.add_steps(run.pk, after)
        together()
    return Saved.YES
