"""Whose turn it is, where fewer workers than jobs are.

Short work, for which somebody sits and waits, goes before long work; but long work that was asked
for :data:`PATIENCE` earlier has waited long enough and goes first.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from csro_web.jobs import kinds
from csro_web.jobs.models import Job
from csro_web.runs.leases import WORKABLE
from csro_web.runs.models import Step

PATIENCE = timedelta(minutes=2)
MOST_LOOKED_AT = 100
"""Jobs of either length. Those behind them get their place in time."""


class _Waiting(NamedTuple):
    pk: int
    asked: datetime


def in_order(*, long_too: bool = True) -> list[int]:
    """The jobs that are due, in the order in which they will be done. 2 queries.

    Those that failed before come after those of their length that did not.
    """
    short, long = _due(long=False), _due(long=True) if long_too else []
    order = []
    while short and long:
        first = long if long[0].asked < short[0].asked - PATIENCE else short
        order.append(first.pop(0).pk)
    return order + [one.pk for one in short + long]


def step_of_a_change() -> int | None:
    """A step that follows from what somebody changed in a run after its search. 1 query."""
    steps = Step.objects.due().filter(run__ended_at__isnull=False, run__state__in=WORKABLE)
    found: int | None = steps.order_by("run", "order").values_list("pk", flat=True).first()
    return found


def _due(*, long: bool) -> list[_Waiting]:
    names = kinds.long_ones()
    due = Job.objects.due()
    due = due.filter(kind__in=names) if long else due.exclude(kind__in=names)
    rows = due.order_by("attempts", "pk").values_list("pk", "created_at")[:MOST_LOOKED_AT]
    return [_Waiting(*row) for row in rows]
