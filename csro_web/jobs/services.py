"""Asking for a job, and calling one off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.jobs import queue
from csro_web.jobs.models import Job, JobState
from csro_web.runs.models import Run


def enqueue(
    kind: str,
    *,
    inputs: Mapping[str, Any],
    asked_by: User | None,
    run: Run | None = None,
) -> Job:
    """A job that a worker will do. May be called inside a transaction: workers are told after it.

    ``inputs`` is plain JSON data and says everything that decides the result.
    """
    job = Job.objects.create(kind=kind, inputs=dict(inputs), asked_by=asked_by, run=run)
    queue.send_ready()
    return job


def cancel(job: Job, *, actor: User | None = None) -> bool:
    """No result will be saved; work that has begun stops within moments. False: it was over."""
    open_still = Job.objects.filter(pk=job.pk, state__in=(JobState.READY, JobState.CLAIMED))
    with transaction.atomic():
        called_off = open_still.update(
            state=JobState.CANCELLED,
            owner="",
            lease_until=None,
            ended_at=timezone.now(),
            change=F("change") + 1,
        )
        if called_off:
            detail = {"kind": job.kind}
            record(Action.JOB_CANCELLED, actor=actor, subject=job, run_id=job.run_id, detail=detail)
    job.refresh_from_db()
    return bool(called_off)
