"""Who works on which step, and what that does to its run. The rules are of all leased rows."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from csro_web.leases.rows import LeasedRows
from csro_web.runs.models import Run, RunState, Step

WORKABLE = (RunState.QUEUED, RunState.RUNNING)


def held(step_id: int, owner: str) -> LeasedRows:
    """The step, as long as this owner has its lease."""
    return Step.objects.filter(pk=step_id).held_by(owner)


def claim(step_id: int) -> str | None:
    """Take a ready step of a run that is going on; its owner's name, or None if it is gone.

    The conditions stand on the step's own row (no join), so that they are checked again there.
    """
    workable = Run.objects.filter(pk=OuterRef("run_id"), state__in=WORKABLE)
    with transaction.atomic():
        owner = Step.objects.filter(Exists(workable), pk=step_id).claim()
        if owner is not None:
            queued = Run.objects.filter(steps=step_id, state=RunState.QUEUED)
            queued.update(state=RunState.RUNNING, started_at=timezone.now())
            _tell_pages(step_id)
    return owner


def give_back(step_id: int, owner: str) -> bool:
    """Unfinished, and no attempt that counts; False when the lease was lost before."""
    given = held(step_id, owner).give_back()
    if given:
        _tell_pages(step_id)
    return given


def put_off(mine: LeasedRows, reason: str, *, seconds: float) -> bool:
    """It can only go on later, through no fault of its own; False when the lease was lost before.

    No attempt that counts.
    """
    step_id = mine.values_list("pk", flat=True).first()
    given = mine.put_off(reason, seconds=seconds, attempts=F("attempts") - 1)
    if given:
        _tell_pages(step_id)
    return given


def fail(mine: LeasedRows, failure: str) -> bool:
    """An attempt failed: ready again, or, after the last one, failed together with its run.

    What fails after the end of a search pauses its run instead. ``mine`` is one claimed step; False
    when the lease was lost before.
    """
    with transaction.atomic():
        step = mine.only("pk", "label", "key", "run_id").first()
        if step is None:
            return False
        if mine.try_again(failure):
            done = True
        elif Run.objects.filter(pk=step.run_id, ended_at__isnull=False).exists():
            done = _wait_for_people(mine, step, failure)
        else:
            done = mine.give_up(failure) and _fail_run(step, failure)
        _tell_pages(step.pk)
        return done


def release_lost(run_id: int | None = None) -> int:
    """Give back every step whose worker is gone; how many there were."""
    steps = Step.objects.all() if run_id is None else Step.objects.filter(run_id=run_id)
    return sum(fail(mine, why) for mine, why in steps.lost())


def _tell_pages(step_id: int) -> None:
    Run.objects.filter(steps=step_id).update(change=F("change") + 1)


def _wait_for_people(mine: LeasedRows, step: Step, failure: str) -> bool:
    """A run that has its scores does not fail by what is changed in it later: it is paused."""
    waits = mine.put_off(failure, seconds=0, attempts=0)
    if waits:
        Run.objects.filter(pk=step.run_id, state__in=WORKABLE).update(
            state=RunState.PAUSED, paused_at=timezone.now(), pause_reason=_in_vain(step, failure)
        )
    return waits


def _fail_run(step: Step, failure: str) -> bool:
    Run.objects.filter(pk=step.run_id, state__in=(*WORKABLE, RunState.PAUSED)).update(
        state=RunState.FAILED, ended_at=timezone.now(), failure=_in_vain(step, failure)
    )
    return True


def _in_vain(step: Step, failure: str) -> str:
    return f"“{step.label or step.key}” failed {settings.STEP_ATTEMPTS} times: {failure}"
