"""Messages about ready jobs. Losing, doubling or delaying one changes no result."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from csro_web.jobs import leases
from csro_web.jobs.models import Job
from csro_web.runs.queue import SEND_ERRORS

logger = logging.getLogger(__name__)


def send_ready() -> int:
    """Send a message for ready jobs that have none on its way, up to the window; how many.

    Called after a commit and by the reconciler every second.
    """
    if transaction.get_connection().in_atomic_block:
        transaction.on_commit(send_ready)
        return 0
    from csro_web.jobs.tasks import work_on_job

    lost = timezone.now() - timedelta(seconds=settings.REQUEUE_SECONDS)
    unsent = leases.due().filter(Q(queued_at=None) | Q(queued_at__lt=lost))
    sent = 0
    for pk in list(unsent.order_by("pk").values_list("pk", flat=True)[: settings.QUEUE_WINDOW]):
        if not unsent.filter(pk=pk).update(queued_at=timezone.now()):
            continue
        try:
            work_on_job.apply_async((pk,), retry=False, expires=settings.REQUEUE_SECONDS)
        except SEND_ERRORS as error:
            Job.objects.filter(pk=pk).update(queued_at=None)
            logger.warning("the broker takes no messages (%s); jobs wait in the database", error)
            break
        sent += 1
    return sent
