"""What people do with the trail itself: check it, and take it with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction

from csro_web import signing
from csro_web.accounts.models import User
from csro_web.accounts.ownership import sees_everything
from csro_web.audit import files, guards, reading
from csro_web.audit.actions import Action
from csro_web.audit.chain import START
from csro_web.audit.heads import Head, signed_head
from csro_web.audit.models import AuditEvent
from csro_web.audit.selectors import TrailFilter, events_for
from csro_web.audit.trail import record
from csro_web.audit.verification import Finding, Link, Report


def as_json(report: Report, *, heads: Sequence[Head] = ()) -> dict[str, Any]:
    """A report as plain JSON data."""
    return {
        "holds": report.holds,
        "rows": report.rows,
        "last": {"sequence": report.last.sequence, "hash": report.last.hash},
        "found": report.found,
        "findings": [{"sequence": one.sequence, "words": one.words} for one in report.findings],
        "notes": list(report.notes),
        "heads": [
            {
                "sequence": head.sequence,
                "at": head.at,
                "key": signing.fingerprint(head.public_key),
            }
            for head in heads
        ],
    }


def failed_file(words: str) -> dict[str, Any]:
    """The same for a file whose rows cannot be told apart any more."""
    return as_json(Report(0, Link(0, START), (Finding(None, words),), 1, ()))


def note_verification(
    result: Mapping[str, Any], *, actor: User | None, detail: Mapping[str, Any] | None = None
) -> AuditEvent:
    """That the trail was checked, and what was found, is itself an event."""
    with transaction.atomic():
        return record(
            Action.TRAIL_VERIFIED, actor=actor, subject=None, detail={**result, **(detail or {})}
        )


def missing_guards() -> list[str]:
    """The database's own triggers against changes that are not in force."""
    return guards.missing(transaction.get_connection())


def export(
    narrow: TrailFilter, *, actor: User | None, detail: Mapping[str, Any] | None = None
) -> Iterator[str]:
    """Lines of the rows that are there now and that ``actor`` may read (None: all), oldest first.
    That they are taken is recorded before, so a whole export ends with its own row.

    Raises:
        ImproperlyConfigured: when the installation's key cannot be read; nothing is recorded then.
    """
    filters = narrow.as_json()
    if actor is not None and not sees_everything(actor):
        filters["read_by"] = actor.get_username()
    with transaction.atomic():
        record(
            Action.TRAIL_EXPORTED,
            actor=actor,
            subject=None,
            detail={"filters": filters, **(detail or {})},
        )
        head = signed_head()
    taken = narrow.apply(events_for(actor).filter(sequence__lte=head["sequence"]))
    return files.lines(reading.rows(taken), head=head, filters=filters)
