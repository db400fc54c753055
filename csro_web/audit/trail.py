"""Adding to the audit trail, in the transaction of what is recorded.

Each row holds the hash of the one before, so that a row that was changed, removed or moved breaks
the chain at its place. A chain alone cannot show that its tail was cut or that all of it was
written anew; heads that were signed and kept elsewhere can (:mod:`csro_web.audit.heads`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import models, transaction
from django.utils import timezone

from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.chain import START, moment, row_hash
from csro_web.audit.models import AuditEvent, ChainHead
from oracles.text import storable

__all__ = ["START", "NotInTransaction", "fields_of", "moment", "record", "row_hash"]


class NotInTransaction(RuntimeError):
    """Recording outside the transaction of what is recorded would allow one without the other."""


def record(
    action: Action,
    *,
    actor: User | None,
    subject: models.Model | None,
    run_id: int | None = None,
    detail: Mapping[str, Any] | None = None,
) -> AuditEvent:
    """Add what ``actor`` (None: the application itself) does to ``subject``, last in a transaction.

    ``subject`` is None for what concerns nothing in the database, such as an unknown name at the
    sign-in page. ``detail`` is plain JSON data; secrets never belong into it. Whoever records waits
    for others who do, so record after the other writes of the transaction: the order of locks is
    step, run, then the head of the trail.

    Raises:
        NotInTransaction: when no transaction is open.
        ValueError: when the detail is not plain JSON data.
    """
    if not transaction.get_connection().in_atomic_block:
        raise NotInTransaction(f"{action} must be recorded in the transaction that does it")
    head = ChainHead.objects.select_for_update().get(pk=1)
    event = AuditEvent(
        sequence=head.sequence + 1,
        at=timezone.now(),
        actor=actor,
        actor_name="" if actor is None else storable(actor.get_username()),
        action=str(action),
        subject_type="" if subject is None else subject._meta.label_lower,
        subject_id="" if subject is None else str(subject.pk),
        subject_name="" if subject is None else storable(str(subject))[:300],
        run_id=run_id,
        detail=storable(dict(detail or {})),
        previous_hash=head.hash,
    )
    event.hash = row_hash(fields_of(event))
    event.save_base(force_insert=True)
    ChainHead.objects.filter(pk=1).update(sequence=event.sequence, hash=event.hash)
    return event


def fields_of(event: AuditEvent) -> dict[str, Any]:
    """What the hash covers, as plain JSON data: every column but the hash."""
    return {
        "sequence": event.sequence,
        "at": moment(event.at),
        "actor": event.actor_id,
        "actor_name": event.actor_name,
        "action": event.action,
        "subject_type": event.subject_type,
        "subject_id": event.subject_id,
        "subject_name": event.subject_name,
        "run": event.run_id,
        "detail": event.detail,
        "previous_hash": event.previous_hash,
    }
