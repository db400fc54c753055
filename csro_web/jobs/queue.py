"""Telling workers of the jobs that are ready."""

from __future__ import annotations

from django.db import transaction

from csro_web.jobs.models import Job
from csro_web.leases.messages import send_each


def send_ready() -> int:
    """Send a message for ready jobs that have none on its way, up to the window; how many.

    Called after a commit and by the reconciler every second.
    """
    if transaction.get_connection().in_atomic_block:
        transaction.on_commit(send_ready)
        return 0
    from csro_web.jobs.tasks import work_on_job

    return send_each(Job.objects.due().order_by("pk"), work_on_job, what="jobs wait")
