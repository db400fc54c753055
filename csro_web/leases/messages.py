"""Messages about rows that wait. Losing, doubling or delaying one changes no result."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone
from kombu.exceptions import KombuError, OperationalError

logger = logging.getLogger(__name__)

SEND_ERRORS = (OperationalError, KombuError, OSError)


def send_each(waiting: QuerySet[Any], task: Any, *, what: str) -> int:
    """A message with the key of each row of ``waiting`` that has none on its way; how many.

    No more than the window are on their way at the same time. Each row is marked before its
    message is sent, so that two senders do not both send it. What a broker that cannot be reached
    did not take waits in the database, and the reconciler tries again; ``what`` is its name there.
    """
    rows = waiting.model.objects
    room = settings.QUEUE_WINDOW - waiting.filter(queued_at__gte=_lost_before()).count()
    sent = 0
    for pk in list(waiting.filter(_has_no_message()).values_list("pk", flat=True)[: max(room, 0)]):
        if not rows.filter(_has_no_message(), pk=pk).update(queued_at=timezone.now()):
            continue
        try:
            task.apply_async((pk,), retry=False, expires=settings.REQUEUE_SECONDS)
        except SEND_ERRORS as error:
            rows.filter(pk=pk).update(queued_at=None)
            logger.warning("the broker takes no messages (%s); %s in the database", error, what)
            break
        sent += 1
    return sent


def _has_no_message() -> Q:
    """Nobody was told of the row, or the message has been lost."""
    return Q(queued_at=None) | Q(queued_at__lt=_lost_before())


def _lost_before() -> datetime:
    return timezone.now() - timedelta(seconds=settings.REQUEUE_SECONDS)
