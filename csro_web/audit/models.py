"""The audit trail: who did what to what, each row bound to the one before by its hash."""

from __future__ import annotations

from typing import Any, NoReturn

from django.conf import settings
from django.db import models

from csro_web.runs.fields import ExactJSONField


class TrailIsAppendOnly(TypeError):
    """Something other than :func:`csro_web.audit.trail.record` would write to the trail."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__("the audit trail is append-only: add rows with csro_web.audit.trail")


class AppendOnly(models.QuerySet[Any]):
    """Reads; every way to write is refused here before the database's triggers refuse it."""

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TrailIsAppendOnly

    create = bulk_create = bulk_update = update = delete = _refuse
    get_or_create = update_or_create = _refuse  # type: ignore[assignment]
    _refuse.alters_data = True  # type: ignore[attr-defined]
    _refuse.queryset_only = False  # type: ignore[attr-defined]


class AuditEvent(models.Model):
    """One thing that somebody did. Rows are added by :mod:`csro_web.audit.trail` and never change.

    ``hash`` covers every other column, with that the hash of the row before.
    """

    sequence = models.PositiveBigIntegerField(primary_key=True, help_text="1, 2, 3, without gaps.")
    at = models.DateTimeField(db_index=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT
    )
    actor_name = models.CharField(max_length=150, help_text="As it was then.")
    action = models.CharField(max_length=60, db_index=True)
    subject_type = models.CharField(max_length=60)
    subject_id = models.CharField(max_length=40)
    subject_name = models.CharField(max_length=300)
    run_id = models.BigIntegerField(null=True, blank=True, db_index=True)
    detail = ExactJSONField(default=dict)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64, unique=True)

    objects = AppendOnly.as_manager()

    class Meta:
        ordering = ["-sequence"]

    def __str__(self) -> str:
        return f"{self.sequence}: {self.action}"

    def save(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TrailIsAppendOnly

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TrailIsAppendOnly


class ChainHead(models.Model):
    """The newest row of the trail, in one row: whoever adds one changes this first."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    sequence = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [models.CheckConstraint(name="one_chain", condition=models.Q(id=1))]

    def __str__(self) -> str:
        return f"head {self.sequence}"


class HeadsLeft(models.Model):
    """When a signed head last left the database, and where to: one row, for people to look at.

    What it says proves nothing; the files that were written do.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    tried_at = models.DateTimeField(null=True)
    left_at = models.DateTimeField(null=True)
    sequence = models.PositiveBigIntegerField(default=0)
    directory = models.CharField(max_length=1000, blank=True)
    failure = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(name="one_heads_left", condition=models.Q(id=1))]

    def __str__(self) -> str:
        return f"head {self.sequence} left"
