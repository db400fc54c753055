"""Who works on which job: the rules of :mod:`csro_web.runs.leases` for jobs."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from csro_web.jobs.models import Job, JobState
from csro_web.runs.leases import is_alive, lease_end, new_owner, this_place

_FREE = {"owner": "", "lease_until": None, "queued_at": None}


def due() -> QuerySet[Job]:
    """The jobs that a worker may take now."""
    now = timezone.now()
    return Job.objects.filter(Q(not_before=None) | Q(not_before__lte=now), state=JobState.READY)


def claim(job_id: int) -> str | None:
    """Take a ready job; its owner's name, or None if it is gone."""
    owner = new_owner()
    taken = (
        due()
        .filter(pk=job_id)
        .update(
            state=JobState.CLAIMED,
            owner=owner,
            lease_until=lease_end(),
            attempts=F("attempts") + 1,
            started_at=timezone.now(),
            change=F("change") + 1,
        )
    )
    return owner if taken else None


def held(job_id: int, owner: str) -> QuerySet[Job]:
    """The job, as long as this owner has its lease."""
    return Job.objects.filter(pk=job_id, owner=owner, state=JobState.CLAIMED)


def renew(job_id: int, owner: str) -> bool:
    """Extend the lease; False when it was lost or the job was called off."""
    return bool(held(job_id, owner).update(lease_until=lease_end()))


def give_back(job_id: int, owner: str) -> bool:
    """Unfinished, and no attempt that counts: this worker ends."""
    return bool(
        held(job_id, owner).update(
            state=JobState.READY,
            attempts=F("attempts") - 1,
            change=F("change") + 1,
            **_FREE,
        )
    )


def delay(mine: QuerySet[Job], reason: str, *, seconds: float) -> bool:
    """Ready again, but not for so long; the attempt counts and says why."""
    return bool(
        mine.update(
            state=JobState.READY,
            failure=reason[:2000],
            not_before=timezone.now() + timedelta(seconds=seconds),
            change=F("change") + 1,
            **_FREE,
        )
    )


def fail(mine: QuerySet[Job], failure: str, *, for_good: bool = False) -> bool:
    """An attempt failed: ready again, or failed after the last one."""
    again = mine.none() if for_good else mine.filter(attempts__lt=settings.STEP_ATTEMPTS)
    if again.update(state=JobState.READY, failure=failure[:2000], change=F("change") + 1, **_FREE):
        return True
    return bool(
        mine.update(
            state=JobState.FAILED,
            failure=failure[:2000],
            ended_at=timezone.now(),
            change=F("change") + 1,
            **_FREE,
        )
    )


def release_lost() -> int:
    """Give back the jobs of workers that are gone or were not heard of in time; how many."""
    claimed = Job.objects.filter(state=JobState.CLAIMED)
    late = claimed.filter(lease_until__lt=timezone.now()).values_list("pk", "owner")
    here = claimed.filter(owner__startswith=this_place() + ":").values_list("pk", "owner")
    dead = [(pk, owner) for pk, owner in here if not is_alive(int(owner.split(":")[1]))]
    lost = {*late, *dead}
    return sum(fail(held(pk, owner), "its worker was killed or not heard of") for pk, owner in lost)
