"""Telling workers of the steps that are ready."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q

from csro_web.leases.messages import send_each
from csro_web.runs.leases import WORKABLE
from csro_web.runs.models import Step


def send_ready() -> int:
    """Send a message for ready steps that have none on its way, up to the window; how many.

    Called after a commit and by the reconciler every second.
    """
    if transaction.get_connection().in_atomic_block:
        transaction.on_commit(send_ready)
        return 0
    from csro_web.runs.tasks import work_on_step

    # No model is asked once a search is over.
    anywhere = Q(run__only_in_terminal=False) | Q(run__ended_at__isnull=False)
    ready = Step.objects.due().filter(anywhere, run__state__in=WORKABLE)
    return send_each(ready.order_by("run_id", "order"), work_on_step, what="steps wait")
