"""What a job waits for, said as it is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from zlib import crc32

from django.conf import settings
from django.utils import timezone

from csro_web.jobs import kinds, turns
from csro_web.jobs.models import Job, JobState
from csro_web.pages.numbers import duration
from csro_web.runs.models import Step, StepState

MOST_NAMED = 4
"""Workers of which the page says what they do; the others are counted."""


def words(job: Job) -> str:
    """Why a job that is ready is not in work yet; empty for others. 4 queries at most."""
    if job.state != JobState.READY:
        return ""
    now = timezone.now()
    if job.not_before is not None and job.not_before > now:
        return f"It is tried again in {_since(now, job.not_before)}."
    said = [_place(job), _workers(job, now)]
    if job.kind in kinds.long_ones():
        said.append("Trials, tests of models and changes go first.")
    return " ".join(said)


def cursor(job: Job) -> str:
    """Another one whenever the page has something new to say of the job."""
    said = words(job)
    return f"{job.change}-{crc32(said.encode()):x}" if said else str(job.change)


def _place(job: Job) -> str:
    order = turns.in_order()
    if job.pk not in order:
        return f"Behind more than {len(order)} other jobs."
    ahead = order.index(job.pk)
    return f"Behind {ahead} other job{'' if ahead == 1 else 's'}." if ahead else "Next in line."


def _workers(job: Job, now: datetime) -> str:
    at_work: dict[str, tuple[datetime, str]] = {}
    for owner, started, what in sorted(_claimed(), key=lambda row: row[1]):
        process = owner.rpartition(":")[0]
        at_work[process] = (started, what)  # the newest: the one before makes way for it
    if not at_work:
        waited = (now - job.created_at).total_seconds()
        if waited < settings.REQUEUE_SECONDS:
            return "No worker is busy."
        return f"No worker has taken it up for {duration(waited)}: is one running?"
    count = "One worker is" if len(at_work) == 1 else f"{len(at_work)} workers are"
    named = list(at_work.values())[:MOST_NAMED]
    doing = "; ".join(f"on {what}, since {_since(started, now)}" for started, what in named)
    rest = len(at_work) - len(named)
    return f"{count} at work: {doing}{f'; and {rest} more' if rest else ''}."


def _claimed() -> Iterator[tuple[str, datetime, str]]:
    """Owner, since when, and what it is, of everything that is in work. 2 queries."""
    jobs = Job.objects.filter(state=JobState.CLAIMED).values_list("owner", "started_at", "kind")
    yield from ((owner, since, kinds.words_of(kind)) for owner, since, kind in jobs)
    steps = Step.objects.filter(state=StepState.CLAIMED).values_list("owner", "started_at")
    yield from ((owner, since, "a step of a run") for owner, since in steps)


def _since(start: datetime, end: datetime) -> str:
    """In whole minutes once there is one: a page that says it need not change every second."""
    seconds = (end - start).total_seconds()
    if seconds < 60:
        return "less than a minute"
    minutes = int(seconds // 60)
    return f"{minutes} minute{'' if minutes == 1 else 's'}" if minutes < 60 else duration(seconds)
