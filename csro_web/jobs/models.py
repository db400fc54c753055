"""Durable work that is no step of a run: trials of edits, re-evaluations, exports.

A job is claimed and saved like a step (:mod:`csro_web.leases.rows`): the database is the record,
a message is a hint, and only the owner of the lease may save.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F
from django.utils import timezone

from csro_web.leases.rows import LeasedRow, LeasedRows, LeaseState, lease_constraints
from csro_web.runs.fields import ExactJSONField
from csro_web.runs.models import Run


class JobState(models.TextChoices):
    READY = LeaseState.READY.value, "Waiting for a worker"
    CLAIMED = LeaseState.CLAIMED.value, "In work"
    DONE = LeaseState.DONE.value, "Done"
    FAILED = LeaseState.FAILED.value, "Failed"
    CANCELLED = "cancelled", "Cancelled"


OVER = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


class Jobs(LeasedRows):
    news: ClassVar[Mapping[str, Any]] = {"change": F("change") + 1}


class Job(LeasedRow):
    """One piece of work. ``inputs`` never change; what it found is written once."""

    kind = models.CharField(max_length=40, help_text="Name of its handler (csro_web.jobs.kinds).")
    inputs = ExactJSONField(default=dict)
    run = models.ForeignKey(
        Run, null=True, blank=True, on_delete=models.CASCADE, related_name="jobs"
    )
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT
    )
    state = models.CharField(max_length=10, choices=JobState.choices, default=JobState.READY)
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(null=True, blank=True, help_text="Null: unknown.")
    progress_words = models.CharField(max_length=200, blank=True)
    partial = ExactJSONField(
        null=True, blank=True, help_text="What is known before the end; a page may show it."
    )
    result = ExactJSONField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    change = models.PositiveBigIntegerField(default=0, help_text="Raised with every change.")

    objects = Jobs.as_manager()

    class Meta(LeasedRow.Meta):
        ordering = ["-created_at", "-id"]
        constraints = lease_constraints(
            done="done_job_has_result", claimed="claimed_job_has_owner_and_lease"
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def is_over(self) -> bool:
        return self.state in OVER
