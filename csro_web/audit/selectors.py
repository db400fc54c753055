"""What the page of the trail reads: one page of rows by their sequence, however many there are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Q, QuerySet

from csro_web.accounts.models import User
from csro_web.accounts.ownership import sees_everything, visible_runs
from csro_web.audit import reading
from csro_web.audit.actions import Action
from csro_web.audit.models import AuditEvent, HeadsLeft
from csro_web.audit.verification import Check, Report, Row
from csro_web.pages.keys import row_number, wanted_text

ROWS_PER_PAGE = 50
APPLICATION = "-"
"""Stands for the application itself in the filter of people."""


@dataclass(frozen=True)
class TrailFilter:
    """What is shown or exported; empty narrows nothing."""

    person: str = ""
    """A user name as it was then; :data:`APPLICATION` for what no person did."""
    action: str = ""
    run: int | None = None
    since: date | None = None
    until: date | None = None
    """Both days are included (UTC)."""
    text: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> TrailFilter:
        """Out of a query string; what cannot be narrows nothing, so no link breaks the page."""
        action = query.get("action", "")
        return cls(
            person=wanted_text(query.get("person", ""), 150),
            action=action if action in set(Action) else "",
            run=row_number(query.get("run", "")),
            since=_day(query.get("since", "")),
            until=_day(query.get("until", "")),
            text=wanted_text(query.get("text", ""), 200),
        )

    def as_json(self) -> dict[str, str]:
        """Only what narrows."""
        return {name: str(value) for name, value in vars(self).items() if value not in ("", None)}

    def apply(self, events: QuerySet[AuditEvent]) -> QuerySet[AuditEvent]:
        if self.person == APPLICATION:
            events = events.filter(actor=None)
        elif self.person:
            events = events.filter(actor_name=self.person)
        if self.action:
            events = events.filter(action=self.action)
        if self.run is not None:
            events = events.filter(run_id=self.run)
        if self.since:
            events = events.filter(at__gte=_midnight(self.since))
        if self.until and self.until < date.max:
            events = events.filter(at__lt=_midnight(self.until + timedelta(days=1)))
        if self.text:
            # The detail is kept as JSON in ASCII: so is what is looked for in it.
            in_json = json.dumps(self.text)[1:-1]
            events = events.filter(
                Q(subject_name__icontains=self.text)
                | Q(actor_name__icontains=self.text)
                | Q(detail__icontains=in_json)
            )
        return events


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


@dataclass(frozen=True)
class TrailPage:
    """Rows, newest first, and where to go on: by sequence, so that each page is as fast."""

    rows: tuple[Row, ...]
    older: int | None
    """``before`` of the next page; None: there is none."""
    newer: int | None
    """``after`` of the page before; None: this is the newest."""
    check: Report
    """Whether what is shown is as it was recorded, and follows where rows touch."""


def page(events: QuerySet[AuditEvent], query: Mapping[str, str]) -> TrailPage:
    """The rows before ``before``, or the first ones after ``after``, else the newest. 3 queries."""
    before, after = row_number(query.get("before", "")), row_number(query.get("after", ""))
    chosen = events.order_by("sequence" if after is not None else "-sequence")
    if after is not None:
        chosen = chosen.filter(sequence__gt=after)
    elif before is not None:
        chosen = chosen.filter(sequence__lt=before)
    found = list(chosen.values_list("sequence", flat=True)[: ROWS_PER_PAGE + 1])
    more, shown = len(found) > ROWS_PER_PAGE, sorted(found[:ROWS_PER_PAGE])
    if after is not None:
        newer = more
        older = bool(shown) and events.filter(sequence__lt=shown[0]).exists()
    else:
        older = more
        edge = shown[-1] if shown else before
        newer = before is not None and events.filter(sequence__gt=edge).exists()
    checking = Check(whole=False)
    rows = list(reading.rows(AuditEvent.objects.filter(sequence__in=shown)))
    for row in rows:
        checking.add(row)
    return TrailPage(
        tuple(reversed(rows)),
        older=shown[0] if shown and older else None,
        newer=(shown[-1] if shown else before) if newer else None,
        check=checking.report(),
    )


def events_for(user: User | None) -> QuerySet[AuditEvent]:
    """Rows that the person may read: of runs that they see, and what they did themselves. None:
    somebody at this machine's terminal, who reads all."""
    events = AuditEvent.objects.all()
    if user is None or sees_everything(user):
        return events
    runs = visible_runs(user).values("pk")
    return events.filter(Q(run_id__in=runs) | Q(actor=user))


def last_verification() -> Row | None:
    """The newest row that says that all were checked. 2 queries."""
    checks = AuditEvent.objects.filter(action=Action.TRAIL_VERIFIED).order_by("-sequence")
    newest = list(checks.values_list("sequence", flat=True)[:1])
    return next(reading.rows(AuditEvent.objects.filter(sequence__in=newest)), None)


def heads_left() -> HeadsLeft | None:
    return HeadsLeft.objects.filter(pk=1).first()
