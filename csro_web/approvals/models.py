"""Where policies stand, who approved them, and what they did on seeds that no search saw.

Only :mod:`csro_web.approvals.services` writes these rows. Nothing here is ever deleted: an approval
lapses, an attempt stays. What somebody decided keeps its policy and run from being deleted, too.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from csro_web.approvals.states import Event, State
from csro_web.jobs.models import Job
from csro_web.policies.models import Policy
from csro_web.runs.fields import ExactJSONField


class Reevaluation(models.Model):
    """One attempt of a policy on seeds that follow from its content alone
    (:mod:`oracles.reevaluation`). One whose job failed or was called off stays without result."""

    policy = models.ForeignKey(Policy, on_delete=models.CASCADE, related_name="reevaluations")
    job = models.OneToOneField(Job, on_delete=models.RESTRICT, related_name="reevaluation")
    sha256 = models.CharField(max_length=64, help_text="Of the content that is played.")
    program = models.CharField(
        max_length=64, db_index=True, help_text="Fingerprint without layout and comments."
    )
    grammar = models.CharField(
        max_length=10, help_text="Python version whose grammar the fingerprint follows."
    )
    seed = models.BigIntegerField()
    signature = models.CharField(max_length=128, help_text="Hex; the seed is made of it.")
    public_key = models.CharField(max_length=64, help_text="Hex; checks the signature.")
    episodes = models.PositiveIntegerField(help_text="Against each opponent.")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT
    )
    created_at = models.DateTimeField(default=timezone.now)
    done_at = models.DateTimeField(null=True, blank=True)
    engine_version = models.CharField(max_length=20, blank=True, help_text="Empty: not done.")
    sandbox_level = models.CharField(max_length=12, blank=True, help_text="Empty: not done.")
    faults = models.JSONField(default=dict, blank=True)
    found = ExactJSONField(
        null=True, blank=True, help_text="oracles.reevaluation.Found as JSON; null: no result."
    )

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                name="reevaluation_done_with_result",
                condition=Q(done_at__isnull=True, found__isnull=True)
                | Q(done_at__isnull=False, found__isnull=False) & ~Q(engine_version=""),
            ),
            models.CheckConstraint(name="reevaluation_seed_in_range", condition=Q(seed__gte=0)),
        ]

    def __str__(self) -> str:
        return f"re-evaluation {self.pk} of policy {self.policy_id}"


class Approval(models.Model):
    """Somebody vouches for one content. What it rests on stands in the row, so that the database
    refuses an approval by the launcher or of another content than was evaluated."""

    policy = models.ForeignKey(Policy, on_delete=models.PROTECT, related_name="approvals")
    sha256 = models.CharField(max_length=64, help_text="Of the content that the approver read.")
    evaluated_sha256 = models.CharField(max_length=64, help_text="That of the re-evaluation.")
    approver = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="approvals"
    )
    launched_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="The run's launcher then.",
    )
    reevaluation = models.ForeignKey(
        Reevaluation, on_delete=models.RESTRICT, related_name="approvals"
    )
    statement = models.TextField(help_text="What the approver vouches for, in their words.")
    created_at = models.DateTimeField(default=timezone.now)
    lapsed_at = models.DateTimeField(null=True, blank=True)
    lapse_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["policy"],
                condition=Q(lapsed_at__isnull=True),
                name="one_current_approval",
            ),
            models.CheckConstraint(
                name="approved_content_was_evaluated", condition=Q(sha256=F("evaluated_sha256"))
            ),
            models.CheckConstraint(
                name="approver_did_not_launch",
                condition=Q(launched_by__isnull=True) | ~Q(approver=F("launched_by")),
            ),
            models.CheckConstraint(name="approval_has_statement", condition=~Q(statement="")),
            models.CheckConstraint(
                name="lapsed_with_reason",
                condition=Q(lapsed_at__isnull=True, lapse_reason="")
                | Q(lapsed_at__isnull=False) & ~Q(lapse_reason=""),
            ),
        ]

    def __str__(self) -> str:
        return f"approval {self.pk} of policy {self.policy_id}"


class Standing(models.Model):
    """Where a policy stands; one without a row is unreviewed.

    ``version`` is raised by everything that could matter to a decision. Whoever raises it has the
    row until the end of the transaction, so decisions about one policy come one after the other.
    """

    policy = models.OneToOneField(Policy, on_delete=models.CASCADE, related_name="standing")
    state = models.CharField(
        max_length=20, choices=State.choices, default=State.UNREVIEWED, db_index=True
    )
    approval = models.OneToOneField(
        Approval, null=True, blank=True, on_delete=models.RESTRICT, related_name="standing"
    )
    version = models.PositiveBigIntegerField(default=0)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="approved_names_its_approval",
                condition=Q(state="approved", approval__isnull=False)
                | ~Q(state="approved") & Q(approval__isnull=True),
            ),
            models.CheckConstraint(
                name="known_approval_state", condition=Q(state__in=State.values)
            ),
        ]

    def __str__(self) -> str:
        return f"policy {self.policy_id}: {self.state}"


class Transition(models.Model):
    """One move, or an opinion that is kept without one (``before`` and ``after`` are equal)."""

    policy = models.ForeignKey(Policy, on_delete=models.PROTECT, related_name="transitions")
    before = models.CharField(max_length=20, choices=State.choices)
    after = models.CharField(max_length=20, choices=State.choices)
    event = models.CharField(max_length=20, choices=Event.choices)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        help_text="Null: the application.",
    )
    at = models.DateTimeField(default=timezone.now)
    reason = models.TextField(blank=True)
    approval = models.ForeignKey(
        Approval,
        null=True,
        blank=True,
        on_delete=models.RESTRICT,
        related_name="transitions",
        help_text="That was given, or lapsed.",
    )

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"policy {self.policy_id}: {self.before} to {self.after}"
