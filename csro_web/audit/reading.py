"""The rows of the trail as the database holds them, whatever somebody has written into them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db.models import F, QuerySet, TextField
from django.db.models.functions import Cast

from csro_web.audit.chain import moment
from csro_web.audit.heads import Head
from csro_web.audit.models import AuditEvent, ChainHead
from csro_web.audit.verification import Check, Link, Report, Row

AT_ONCE = 2_000
_COLUMNS = {
    "sequence": "sequence",
    "at": "at",
    "actor": "actor_id",
    "actor_name": "actor_name",
    "action": "action",
    "subject_type": "subject_type",
    "subject_id": "subject_id",
    "subject_name": "subject_name",
    "run": "run_id",
    "detail": "detail",
    "previous_hash": "previous_hash",
    "hash": "hash",
}
"""Name in what is hashed and exported -> column."""
_NUMBERS = ("sequence", "actor", "run")


def verify(*, heads: Sequence[Head] = ()) -> Report:
    """Check the whole trail. Others may record meanwhile: the head moves on while rows are read."""
    checking = Check(heads=heads, newest=newest())
    for row in rows(AuditEvent.objects.all()):
        checking.add(row)
    return checking.report(newest=newest())


def newest() -> Link:
    """What the database's own head names; nothing (-1) when somebody has removed it."""
    head = ChainHead.objects.filter(pk=1).first()
    return Link(-1, "") if head is None else Link(head.sequence, head.hash)


def rows(events: QuerySet[AuditEvent]) -> Iterator[Row]:
    """These rows by their sequence. Each column is read as text, so that nothing that somebody put
    into one (no JSON, no date) ends the reading."""
    texts = {f"{name}_": Cast(F(column), TextField()) for name, column in _COLUMNS.items()}
    found = events.order_by("sequence").annotate(**texts).values_list(*texts)
    for values in found.iterator(chunk_size=AT_ONCE):
        yield _row(dict(zip(_COLUMNS, values, strict=True)))


def _row(values: dict[str, Any]) -> Row:
    said = values.pop("hash") or ""
    try:
        for name in _NUMBERS:
            if values[name] is not None:
                values[name] = int(values[name])
    except ValueError as error:
        return Row(None, problem=str(error))
    try:
        values["at"] = moment(_time(values["at"]))
        values["detail"] = json.loads(values["detail"])
    except (TypeError, ValueError) as error:
        return Row(values["sequence"], hash=said, problem=str(error))
    return Row(values["sequence"], values, said)


def _time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
