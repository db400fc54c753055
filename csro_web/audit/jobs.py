"""Checking the whole trail, by a worker: with many rows it takes longer than a page may."""

from __future__ import annotations

from typing import Any

from csro_web.audit import reading, services
from csro_web.jobs.kinds import Result, Surroundings, handles
from csro_web.jobs.models import Job

VERIFY = "verify_audit"


def _note(job: Job, result: Result) -> None:
    services.note_verification(result, actor=job.asked_by)


@handles(VERIFY, words="a check of the audit trail", long=True, save=_note)
def verify(job: Job, surroundings: Surroundings) -> dict[str, Any]:
    """What :func:`csro_web.audit.services.as_json` says of the trail."""
    surroundings.report(done=0, total=None, words="checking every row")
    return services.as_json(reading.verify())
