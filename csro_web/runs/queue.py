"""Messages about ready steps. Losing, doubling or delaying one changes no result."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from kombu.exceptions import KombuError, OperationalError

from csro_web.runs.leases import WORKABLE
from csro_web.runs.models import Step, StepState

logger = logging.getLogger(__name__)

SEND_ERRORS = (OperationalError, KombuError, OSError)


def send_ready(*, run_id: int | None = None) -> int:
    """Send a message for ready steps that have none on its way, up to the window; how many.

    Called after a commit and by the reconciler every second. A broker that cannot be reached is
    reported and loses nothing: the steps stay ready, and the reconciler tries again.
    """
    if transaction.get_connection().in_atomic_block:
        transaction.on_commit(lambda: send_ready(run_id=run_id))
        return 0
    sent = 0
    for step_id in _unsent(run_id):
        if not _mark(step_id):
            continue
        try:
            _send(step_id)
        except SEND_ERRORS as error:
            Step.objects.filter(pk=step_id).update(queued_at=None)
            logger.warning("the broker takes no messages (%s); steps wait in the database", error)
            break
        sent += 1
    return sent


def send_each(unsent: QuerySet[Any], task: Any, *, what: str) -> int:
    """A message with the key of each row of ``unsent``, up to the window; how many.

    Each row is marked before its message is sent, so that two senders do not both send it. What a
    broker that cannot be reached did not take waits in the database; ``what`` is its name there.
    """
    sent = 0
    for pk in list(unsent.values_list("pk", flat=True)[: settings.QUEUE_WINDOW]):
        if not unsent.filter(pk=pk).update(queued_at=timezone.now()):
            continue
        try:
            task.apply_async((pk,), retry=False, expires=settings.REQUEUE_SECONDS)
        except SEND_ERRORS as error:
            unsent.model.objects.filter(pk=pk).update(queued_at=None)
            logger.warning("the broker takes no messages (%s); %s in the database", error, what)
            break
        sent += 1
    return sent


def has_no_message() -> Q:
    """No message is on its way for the row, or it has been lost."""
    return Q(queued_at=None) | Q(queued_at__lt=_lost_before())


def _lost_before() -> datetime:
    return timezone.now() - timedelta(seconds=settings.REQUEUE_SECONDS)


def _unsent(run_id: int | None) -> list[int]:
    # No model is asked once a search is over.
    anywhere = Q(run__only_in_terminal=False) | Q(run__ended_at__isnull=False)
    ready = Step.objects.filter(anywhere, state=StepState.READY, run__state__in=WORKABLE)
    on_the_way = ready.filter(queued_at__gte=_lost_before()).count()
    waiting = ready.filter(has_no_message())
    if run_id is not None:
        waiting = waiting.filter(run_id=run_id)
    room = max(settings.QUEUE_WINDOW - on_the_way, 0)
    return list(waiting.order_by("run_id", "order").values_list("pk", flat=True)[:room])


def _mark(step_id: int) -> bool:
    """Before it is sent, so that two senders do not both send it."""
    step = Step.objects.filter(has_no_message(), pk=step_id, state=StepState.READY)
    return bool(step.update(queued_at=timezone.now()))


def _send(step_id: int) -> None:
    from csro_web.runs.tasks import work_on_step

    work_on_step.apply_async((step_id,), retry=False, expires=settings.REQUEUE_SECONDS)
