"""What people changed in the population of a run, and why."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from csro_web.changes.edit_models import (
    BroughtProgram,
    EditDraft,
    Fingerprint,
    PendingImport,
    SetAside,
    Trial,
)
from csro_web.policies.models import Origin, Policy
from csro_web.runs.models import Run

__all__ = [
    "BroughtProgram",
    "Change",
    "ChangeKind",
    "EditDraft",
    "Fingerprint",
    "Outcome",
    "PendingImport",
    "SetAside",
    "Trial",
]

LONGEST_NAME = 120
LONGEST_REASON = 4_000


class ChangeKind(models.TextChoices):
    COMMIT = "commit", "Committed a policy"
    WITHDRAW = "withdraw", "Withdrew a policy"
    RESTORE = "restore", "Restored a policy"


class Outcome(models.TextChoices):
    PENDING = "pending", "Pending"
    JOINED = "joined", "Joined"
    REFUSED = "refused", "Refused"
    DONE = "done", "Done"


class Change(models.Model):
    """One change by a person. What it did is a projection of ``oracles.state.ChangeRecord``.

    Everything above ``outcome`` is written once; the rest follows from the run's step results.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="changes")
    number = models.PositiveIntegerField(help_text="1, 2, 3, ... within its run.")
    kind = models.CharField(max_length=10, choices=ChangeKind.choices)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="changes"
    )
    reason = models.TextField()
    policy = models.ForeignKey(
        Policy,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="changes",
        help_text="The policy that joined, or that is affected; null until it joined.",
    )
    parent = models.ForeignKey(
        Policy,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="edits",
        help_text="What it was edited from, of this run or another; null: of no policy.",
    )
    source = models.TextField(blank=True, help_text="Of a commit; empty for other kinds.")
    sha256 = models.CharField(max_length=64, blank=True, db_index=True)
    name = models.CharField(max_length=LONGEST_NAME, blank=True)
    origin = models.CharField(
        max_length=12,
        blank=True,
        choices=[(Origin.EDITED, "Edited by hand"), (Origin.IMPORTED, "Imported")],
    )
    provenance = models.JSONField(
        default=dict, blank=True, help_text="Where an imported program comes from."
    )
    before = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="The iteration whose mixture is the first with it; null: the run had its final"
        " mixture already.",
    )
    created_at = models.DateTimeField(default=timezone.now)
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.PENDING)
    note = models.TextField(blank=True, help_text="Why it was refused.")
    settled_at = models.DateTimeField(null=True, blank=True)
    effect = models.JSONField(
        null=True,
        blank=True,
        help_text="oracles.revisions.Consequence as JSON; null until its mixture is solved.",
    )

    class Meta:
        ordering = ["run", "number"]
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="one_change_per_number"),
            models.CheckConstraint(
                name="commits_have_source_and_origin",
                condition=(models.Q(kind="commit") & ~models.Q(source="") & ~models.Q(origin=""))
                | (~models.Q(kind="commit") & models.Q(source="", origin="")),
            ),
            models.CheckConstraint(name="changes_have_a_reason", condition=~models.Q(reason="")),
        ]

    def __str__(self) -> str:
        return f"change {self.number} of run {self.run_id}"

    @property
    def is_commit(self) -> bool:
        return self.kind == ChangeKind.COMMIT

    @property
    def is_settled(self) -> bool:
        """Whether nothing more will be found out about it."""
        return self.settled_at is not None

    @property
    def is_revision(self) -> bool:
        """Whether it came after the run had its final mixture."""
        return self.before is None
