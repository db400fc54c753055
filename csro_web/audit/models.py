"""The audit trail: who did what to what, each row bound to the one before by its hash."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from csro_web.runs.fields import ExactJSONField


class AuditEvent(models.Model):
    """One thing that somebody did. Rows are added by :mod:`csro_web.audit.trail` and never change.

    ``hash`` covers every other column and the hash of the row before.
    """

    sequence = models.PositiveBigIntegerField(unique=True, help_text="1, 2, 3, without gaps.")
    at = models.DateTimeField()
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

    class Meta:
        ordering = ["-sequence"]

    def __str__(self) -> str:
        return f"{self.sequence}: {self.action}"


class ChainHead(models.Model):
    """The newest row of the trail, in one row: whoever adds one changes this first."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    sequence = models.PositiveBigIntegerField(default=0)
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [models.CheckConstraint(name="one_chain", condition=models.Q(id=1))]

    def __str__(self) -> str:
        return f"head {self.sequence}"
