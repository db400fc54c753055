"""Who works on which step. Every change is a conditional UPDATE of one row, on every database.

A claim names an owner of its own (never used twice) and a lease. Whoever lost the lease has lost
the right to save: :mod:`csro_web.runs.results` saves only while the owner is still the same.
"""

from __future__ import annotations

import os
import socket
import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from csro_web.runs.models import Run, RunState, Step, StepState

WORKABLE = (RunState.QUEUED, RunState.RUNNING)


def this_place() -> str:
    """Where a process number means something: this host's name and this process namespace."""
    try:
        namespace = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:  # not Linux: one namespace
        namespace = "0"
    return f"{socket.gethostname()[:36]}/{namespace}"


def new_owner() -> str:
    return f"{this_place()}:{os.getpid()}:{uuid.uuid4().hex[:12]}"


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def claim(step_id: int) -> str | None:
    """Take a ready step of a run that is going on; its owner's name, or None if it is gone.

    The conditions stand on the step's own row (no join): when two claims meet, the database checks
    them again for the second one after the first has written.
    """
    owner, now = new_owner(), timezone.now()
    workable = Run.objects.filter(pk=OuterRef("run_id"), state__in=WORKABLE)
    with transaction.atomic():
        taken = Step.objects.filter(Exists(workable), pk=step_id, state=StepState.READY).update(
            state=StepState.CLAIMED,
            owner=owner,
            lease_until=lease_end(),
            attempts=F("attempts") + 1,
            started_at=now,
        )
        if taken:
            run = Run.objects.filter(steps=step_id)
            run.update(change=F("change") + 1)
            run.filter(state=RunState.QUEUED).update(state=RunState.RUNNING, started_at=now)
    return owner if taken else None


def renew(step_id: int, owner: str) -> bool:
    """Extend the lease; False when it was lost."""
    mine = Step.objects.filter(pk=step_id, owner=owner, state=StepState.CLAIMED)
    return bool(mine.update(lease_until=lease_end()))


def release(step_id: int, owner: str, *, count: bool, failure: str = "") -> bool:
    """Give a claimed step back unfinished; False when the lease was lost before.

    ``count`` is whether this was an attempt that failed (the last one ends the run).
    """
    if count:
        return _give_back(Q(pk=step_id, owner=owner), failure)
    mine = Step.objects.filter(pk=step_id, owner=owner, state=StepState.CLAIMED)
    given = mine.update(**_READY, attempts=F("attempts") - 1)
    if given:
        Run.objects.filter(steps=step_id).update(change=F("change") + 1)
    return bool(given)


def release_expired(run_id: int | None = None) -> int:
    """Give back every step whose worker was not heard of in time; how many there were."""
    late = Step.objects.filter(state=StepState.CLAIMED, lease_until__lt=timezone.now())
    if run_id is not None:
        late = late.filter(run_id=run_id)
    failure = (
        f"its worker died or was not heard of for {settings.LEASE_SECONDS:g} seconds; see the "
        "worker's log, memory and CPU limits"
    )
    return sum(
        _give_back(Q(pk=pk, owner=owner, lease_until__lt=timezone.now()), failure)
        for pk, owner in late.values_list("pk", "owner")
    )


def release_dead() -> int:
    """Give back the steps of workers of this very place that are no more; how many there were.

    It saves waiting for the lease. Workers elsewhere, and one whose number is in use again, are
    left to :func:`release_expired`.
    """
    mine = Step.objects.filter(state=StepState.CLAIMED, owner__startswith=this_place() + ":")
    gone = [
        (pk, owner)
        for pk, owner in mine.values_list("pk", "owner")
        if not is_alive(int(owner.split(":")[1]))
    ]
    return sum(_give_back(Q(pk=pk, owner=owner), "its worker was killed") for pk, owner in gone)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


_READY = {"state": StepState.READY, "owner": "", "lease_until": None, "queued_at": None}


def _give_back(which: Q, failure: str) -> bool:
    """An attempt failed: ready again, or, after the last one, failed together with its run.

    What fails after the end of a search pauses its run instead.
    """
    mine = Step.objects.filter(which, state=StepState.CLAIMED)
    with transaction.atomic():
        found = mine.select_related("run").only("pk", "label", "key", "run_id").first()
        if found is None:
            return False
        again = mine.filter(attempts__lt=settings.STEP_ATTEMPTS).update(**_READY, failure=failure)
        if again:
            Run.objects.filter(pk=found.run_id).update(change=F("change") + 1)
            return True
        if Run.objects.filter(pk=found.run_id, ended_at__isnull=False).exists():
            _wait_for_people(mine, found, failure)
            return True
        ended = mine.update(
            state=StepState.FAILED,
            owner="",
            lease_until=None,
            failure=failure,
            ended_at=timezone.now(),
        )
        if ended:
            _fail_run(found, failure)
        return bool(ended)


def _wait_for_people(mine: QuerySet[Step], step: Step, failure: str) -> None:
    """A run that has its scores does not fail by what is changed in it later: it is paused."""
    mine.update(**_READY, attempts=0, failure=failure)
    Run.objects.filter(pk=step.run_id).update(change=F("change") + 1)
    Run.objects.filter(pk=step.run_id, state__in=WORKABLE).update(
        state=RunState.PAUSED, paused_at=timezone.now(), pause_reason=_in_vain(step, failure)
    )


def _fail_run(step: Step, failure: str) -> None:
    Run.objects.filter(pk=step.run_id, state__in=(*WORKABLE, RunState.PAUSED)).update(
        state=RunState.FAILED,
        ended_at=timezone.now(),
        change=F("change") + 1,
        failure=_in_vain(step, failure),
    )


def _in_vain(step: Step, failure: str) -> str:
    return f"“{step.label or step.key}” failed {settings.STEP_ATTEMPTS} times: {failure}"
