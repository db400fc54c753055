"""Durable work as rows of a database: claimed with a lease, saved by the owner of that lease alone.

The database is the record. Every change of a state below is one conditional UPDATE, on every
database; when two meet, the database checks the conditions again for the second one after the
first has written. A claim names an owner of its own, and whoever has lost the lease finds no row
any more under :meth:`LeasedRows.held_by`: the right to save is gone with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from csro_web.leases.owners import has_died, new_owner, this_place


class LeaseState(models.TextChoices):
    """The states that all durable work knows; a model may have more of them."""

    READY = "ready", "Ready"
    CLAIMED = "claimed", "In work"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


_NOBODYS = {"owner": "", "lease_until": None}
_READY = {"state": LeaseState.READY, "queued_at": None, **_NOBODYS}


class LeasedRows(models.QuerySet[Any]):
    """What can happen to rows of work. All answers are whether it did happen."""

    news: ClassVar[Mapping[str, Any]] = {}
    """What is written in addition whenever the state changes."""

    def due(self) -> Self:
        """What a worker may take now."""
        on_time = Q(not_before=None) | Q(not_before__lte=timezone.now())
        return self.filter(on_time, state=LeaseState.READY)

    def claim(self) -> str | None:
        """Take a row that is due; its owner's name, or None if it is gone."""
        owner, now = new_owner(), timezone.now()
        taken = self.due().update(
            state=LeaseState.CLAIMED,
            owner=owner,
            lease_until=_lease_end(),
            attempts=F("attempts") + 1,
            started_at=now,
            not_before=None,
            **self.news,
        )
        return owner if taken else None

    def held_by(self, owner: str) -> Self:
        """The rows whose lease this owner has."""
        return self.filter(owner=owner, state=LeaseState.CLAIMED)

    def renew(self) -> bool:
        """Extend the lease."""
        return bool(self.update(lease_until=_lease_end()))

    def finish(self, result: Mapping[str, Any], **more: Any) -> bool:
        """Save what was found."""
        return self._end(LeaseState.DONE, result=dict(result), failure="", **more)

    def give_back(self) -> bool:
        """Unfinished, and no attempt that counts: the worker ends, or others go first."""
        return self._make_ready(attempts=F("attempts") - 1)

    def put_off(self, reason: str, *, seconds: float, **more: Any) -> bool:
        """Ready again, but not for so long; the attempt counts and says why."""
        then = timezone.now() + timedelta(seconds=seconds)
        return self._make_ready(not_before=then, failure=reason[:2000], **more)

    def try_again(self, failure: str) -> bool:
        """An attempt failed: ready again, unless it was the last one."""
        again = self.filter(attempts__lt=settings.STEP_ATTEMPTS)
        return again._make_ready(failure=failure[:2000])

    def give_up(self, failure: str) -> bool:
        """Failed for good."""
        return self._end(LeaseState.FAILED, failure=failure[:2000])

    def lost(self) -> list[tuple[Self, str]]:
        """The claimed rows of workers that are gone, each as a query of its own, and why.

        It saves waiting for the lease where the worker was a process of this very place.
        """
        claimed, now = self.filter(state=LeaseState.CLAIMED), timezone.now()
        late = claimed.filter(lease_until__lt=now)
        here = claimed.filter(owner__startswith=this_place() + ":")
        dead = [
            (claimed.filter(pk=pk, owner=owner), "its worker was killed")
            for pk, owner in here.values_list("pk", "owner")
            if has_died(owner)
        ]
        silent = [
            (late.filter(pk=pk, owner=owner), _silence())
            for pk, owner in late.values_list("pk", "owner")
        ]
        return dead + silent

    def _make_ready(self, **more: Any) -> bool:
        return bool(self.update(**_READY, **self.news, **more))

    def _end(self, state: LeaseState, **more: Any) -> bool:
        ended = {"state": state, "ended_at": timezone.now(), "lease_until": None}
        return bool(self.update(**ended, **self.news, **more))


class LeasedRow(models.Model):
    """The fields of a piece of durable work; ``state`` and ``result`` are its model's own words."""

    owner = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    queued_at = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(
        null=True, blank=True, help_text="When it may be tried again; null: at once."
    )
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    failure = models.TextField(blank=True, help_text="What failed and what to do, in a sentence.")

    class Meta:
        abstract = True
        indexes = [models.Index(fields=["state", "lease_until"])]


def lease_constraints(*, done: str, claimed: str) -> list[models.CheckConstraint]:
    """What every row of work must fulfil, under the names its table knows."""
    owned = Q(lease_until__isnull=False) & ~Q(owner="")
    return [
        models.CheckConstraint(name=done, condition=~Q(state="done") | Q(result__isnull=False)),
        models.CheckConstraint(name=claimed, condition=~Q(state="claimed") | owned),
    ]


def _lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def _silence() -> str:
    return (
        f"its worker died or was not heard of for {settings.LEASE_SECONDS:g} seconds; see the "
        "worker's log, memory and CPU limits"
    )
