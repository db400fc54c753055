"""Policies of a population, and every candidate an oracle tried."""

from __future__ import annotations

from django.db import models
from django.urls import reverse
from django.utils import timezone

from csro_web.runs.models import Run

UNKNOWN_URGENCY = 2.0
"""Above every weight: a policy that no mixture knows yet is looked at first."""


class Origin(models.TextChoices):
    INITIAL = "initial", "Initial population"
    BOT = "bot", "Reference bot"
    GENERATED = "generated", "Generated"
    REFINED = "refined", "Refined"
    EVOLVED = "evolved", "Evolved"
    COMPUTED = "computed", "Computed"
    TRAINED = "trained", "Trained"
    EDITED = "edited", "Edited by hand"
    IMPORTED = "imported", "Imported"


class Candidate(models.Model):
    """Projection of ``oracles.state.CandidateRecord``: also what failed, and why."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="candidates")
    key = models.CharField(max_length=120)
    iteration = models.PositiveIntegerField()
    attempt = models.PositiveIntegerField()
    messages = models.JSONField(default=list)
    prompt_version = models.CharField(
        max_length=64, blank=True, help_text="Hash of the prompt's texts; empty: not recorded."
    )
    context_use = models.JSONField(
        default=dict, blank=True, help_text="Opponents shown and dropped; empty: not recorded."
    )
    completion = models.TextField(blank=True)
    model = models.CharField(max_length=200, blank=True)
    accepted = models.BooleanField()
    reason = models.TextField(blank=True)
    line = models.PositiveIntegerField(null=True, blank=True)
    source = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64, blank=True, db_index=True)
    repairs = models.JSONField(default=list)
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="children"
    )
    score_mean = models.FloatField(null=True, blank=True)
    score_low = models.FloatField(null=True, blank=True)
    score_high = models.FloatField(null=True, blank=True)
    episodes = models.PositiveIntegerField(null=True, blank=True)
    per_opponent = models.JSONField(default=list)
    faults = models.JSONField(default=dict)
    tracebacks = models.JSONField(default=list)
    feedback = models.TextField(blank=True)
    improved = models.BooleanField(null=True, blank=True)
    difference_mean = models.FloatField(null=True, blank=True)
    difference_low = models.FloatField(null=True, blank=True)
    difference_high = models.FloatField(null=True, blank=True)
    training = models.JSONField(
        null=True, blank=True, help_text="Curve, frames and time; null: it was not trained."
    )
    evolved = models.JSONField(
        null=True, blank=True, help_text="oracles.state.Evolved as JSON; null without an evolution."
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["run", "iteration", "attempt"]
        constraints = [models.UniqueConstraint(fields=["run", "key"], name="one_candidate_per_key")]

    def __str__(self) -> str:
        return f"{self.run_id}:{self.key}"

    def get_absolute_url(self) -> str:
        return reverse("candidate", args=[self.pk])


class Policy(models.Model):
    """A member of a run's population. Immutable: an edit is a new policy."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="policies")
    index = models.PositiveIntegerField(help_text="Row in the payoff matrix.")
    name = models.CharField(max_length=120)
    origin = models.CharField(max_length=12, choices=Origin.choices)
    source = models.TextField(blank=True, help_text="Empty for a reference bot.")
    sha256 = models.CharField(max_length=64, blank=True, db_index=True)
    iteration = models.PositiveIntegerField(null=True, blank=True)
    candidate = models.ForeignKey(
        Candidate, null=True, blank=True, on_delete=models.SET_NULL, related_name="policies"
    )
    summary = models.TextField(blank=True, help_text="Written by a language model.")
    summary_model = models.CharField(max_length=200, blank=True)
    summary_note = models.TextField(blank=True, help_text="Why no summary could be had.")
    parents = models.ManyToManyField("self", symmetrical=False, related_name="descendants")
    faults = models.JSONField(default=dict)
    change_number = models.PositiveIntegerField(
        null=True, blank=True, help_text="The change of its run that added it; null: the search."
    )
    withdrawn_by = models.PositiveIntegerField(
        null=True, blank=True, help_text="The change that took it out of the mixtures; null: none."
    )
    weight = models.FloatField(
        null=True, blank=True, help_text="In the newest mixture that knows it; null: none does."
    )
    weight_low = models.FloatField(null=True, blank=True)
    weight_high = models.FloatField(null=True, blank=True)
    urgency = models.FloatField(
        default=UNKNOWN_URGENCY, help_text="What the review queue is ordered by: weight_high."
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "policies"
        ordering = ["run", "index"]
        indexes = [models.Index(fields=["-urgency"], name="policy_urgency")]
        constraints = [
            models.UniqueConstraint(fields=["run", "index"], name="one_policy_per_index"),
            models.CheckConstraint(
                name="only_bots_lack_source",
                condition=models.Q(origin="bot") | ~models.Q(source=""),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("policy", args=[self.pk])

    @property
    def is_black_box(self) -> bool:
        """Whether nobody can read what it does: its program is the weights of a network."""
        return self.origin == Origin.TRAINED

    @property
    def approvable(self) -> bool:
        """Whether a person may approve it: a reference bot has no program, a black box no text."""
        return bool(self.source) and not self.is_black_box
