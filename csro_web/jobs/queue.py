"""Messages about ready jobs. Losing, doubling or delaying one changes no result."""

from __future__ import annotations

from django.db import transaction

from csro_web.jobs import leases
from csro_web.runs.queue import has_no_message, send_each


def send_ready() -> int:
    """Send a message for ready jobs that have none on its way, up to the window; how many.

    Called after a commit and by the reconciler every second.
    """
    if transaction.get_connection().in_atomic_block:
        transaction.on_commit(send_ready)
        return 0
    from csro_web.jobs.tasks import work_on_job

    unsent = leases.due().filter(has_no_message()).order_by("pk")
    return send_each(unsent, work_on_job, what="jobs wait")
