"""Who works on which job. The rules are those of all leased rows."""

from __future__ import annotations

from csro_web.jobs.models import Job
from csro_web.leases.rows import LeasedRows


def claim(job_id: int) -> str | None:
    """Take a job that is due; its owner's name, or None if it is gone."""
    return Job.objects.filter(pk=job_id).claim()


def held(job_id: int, owner: str) -> LeasedRows:
    """The job, as long as this owner has its lease and nobody has called it off."""
    return Job.objects.filter(pk=job_id).held_by(owner)


def fail(mine: LeasedRows, failure: str) -> bool:
    """An attempt failed: ready again, or failed after the last one."""
    return mine.try_again(failure) or mine.give_up(failure)


def release_lost() -> int:
    """Give back the jobs of workers that are gone; how many there were."""
    return sum(fail(mine, why) for mine, why in Job.objects.all().lost())
