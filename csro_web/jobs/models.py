"""Durable work that is no step of a run: trials of edits, re-evaluations, exports.

A job is claimed and saved like a step (:mod:`csro_web.runs.leases`): the database is the record,
a message is a hint, and only the owner of the lease may save.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from csro_web.runs.fields import ExactJSONField
from csro_web.runs.models import Run


class JobState(models.TextChoices):
    READY = "ready", "Waiting for a worker"
    CLAIMED = "claimed", "In work"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


OVER = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


class Job(models.Model):
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
    owner = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    queued_at = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(
        null=True, blank=True, help_text="When it may be tried again; null: at once."
    )
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(null=True, blank=True, help_text="Null: unknown.")
    progress_words = models.CharField(max_length=200, blank=True)
    partial = ExactJSONField(
        null=True, blank=True, help_text="What is known before the end; a page may show it."
    )
    result = ExactJSONField(null=True, blank=True)
    failure = models.TextField(blank=True, help_text="What failed and what to do, in a sentence.")
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    change = models.PositiveBigIntegerField(default=0, help_text="Raised with every change.")

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["state", "lease_until"])]
        constraints = [
            models.CheckConstraint(
                name="done_job_has_result",
                condition=~models.Q(state="done") | models.Q(result__isnull=False),
            ),
            models.CheckConstraint(
                name="claimed_job_has_owner_and_lease",
                condition=~models.Q(state="claimed")
                | (models.Q(lease_until__isnull=False) & ~models.Q(owner="")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def is_over(self) -> bool:
        return self.state in OVER
