"""Bundles that were asked for, and the files that were made."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from csro_web.jobs.models import Job
from csro_web.policies.models import Policy
from csro_web.runs.fields import ExactJSONField
from csro_web.runs.models import Run


class ExportKind(models.TextChoices):
    APPROVED = "approved", "All approved policies"
    POLICY = "policy", "One policy"


class Export(models.Model):
    """One bundle. Its record stays when its file is deleted."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="exports")
    policy = models.ForeignKey(
        Policy, null=True, blank=True, on_delete=models.CASCADE, related_name="exports"
    )
    kind = models.CharField(max_length=10, choices=ExportKind.choices)
    draft = models.BooleanField(help_text="Whether it takes policies that nobody approved.")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="exports",
        help_text="Null: from a terminal.",
    )
    asked_at = models.DateTimeField(default=timezone.now)
    job = models.OneToOneField(Job, null=True, blank=True, on_delete=models.SET_NULL)
    name = models.CharField(max_length=120, blank=True, help_text="Of the file; empty until made.")
    made_at = models.DateTimeField(null=True, blank=True)
    summary = ExactJSONField(
        null=True,
        blank=True,
        help_text="What is in it, for lists; null until it is made.",
    )
    deleted_at = models.DateTimeField(null=True, blank=True, help_text="Of the file.")
    deleted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="deleted_exports",
    )

    class Meta:
        ordering = ["-asked_at", "-id"]
        constraints = [
            models.CheckConstraint(
                name="export_of_one_policy_names_it",
                condition=models.Q(kind="policy", policy__isnull=False)
                | models.Q(kind="approved", policy__isnull=True),
            ),
            models.CheckConstraint(
                name="made_export_has_name_and_summary",
                condition=models.Q(made_at__isnull=True)
                | (models.Q(summary__isnull=False) & ~models.Q(name="")),
            ),
        ]

    def __str__(self) -> str:
        return self.name or f"Export {self.pk}"


class ExportFile(models.Model):
    """The archive, in the database: web and workers need no disk in common."""

    export = models.OneToOneField(Export, on_delete=models.CASCADE, related_name="file")
    data = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(help_text="Bytes.")

    def __str__(self) -> str:
        return f"{self.export} ({self.size} bytes)"
