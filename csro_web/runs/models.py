"""Runs, their durable steps, and the matches that were played.

The step results are the record of a run; Iteration, Policy and Candidate rows are projections of
``oracles.loop.fold`` over them, kept so that pages can query them.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from csro_web.leases.rows import LeasedRow, LeasedRows, LeaseState, lease_constraints
from csro_web.runs.fields import ExactJSONField
from oracles.choices import BASELINES, UNTRAINED


class RunState(models.TextChoices):
    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    PAUSED = "paused", "Paused"
    FINISHED = "finished", "Finished"
    CANCELLED = "cancelled", "Cancelled"
    FAILED = "failed", "Failed"


ENDED = (RunState.FINISHED, RunState.CANCELLED, RunState.FAILED)


class RunSet(models.Model):
    """Runs that were launched together to be compared (``csro_web.runs.prepared``)."""

    prepared = models.CharField(max_length=40)
    words = models.CharField(max_length=200)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.words


class Run(models.Model):
    """One CSRO run. ``config`` is ``oracles.config.RunConfig`` as JSON and never changes."""

    name = models.CharField(max_length=120, blank=True)
    config = ExactJSONField()
    game = models.CharField(max_length=40, db_index=True)
    oracle = models.CharField(max_length=40)
    writer = models.CharField(max_length=40)
    seed = models.BigIntegerField()
    state = models.CharField(
        max_length=12, choices=RunState.choices, default=RunState.QUEUED, db_index=True
    )
    launched_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT
    )
    team = models.ForeignKey(
        "accounts.Team",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="runs",
        help_text="Whose run it is; null: seen by everybody who can sign in here.",
    )
    set = models.ForeignKey(
        RunSet, null=True, blank=True, on_delete=models.SET_NULL, related_name="runs"
    )
    only_in_terminal = models.BooleanField(
        default=False,
        help_text="Its model is at no defined endpoint: the address and key are a terminal's.",
    )
    condition = models.CharField(
        max_length=80, blank=True, help_text="Within its set: what it is compared by."
    )
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_seconds = models.FloatField(default=0.0, help_text="In all pauses that have ended.")
    pause_reason = models.TextField(
        blank=True, help_text="What to correct before it can go on; empty when a person paused it."
    )
    finish_asked_at = models.DateTimeField(
        null=True, blank=True, help_text="Since when nothing more is to be proposed."
    )
    stop_reason = models.TextField(blank=True)
    failure = models.TextField(blank=True, help_text="What failed and what to do, in a sentence.")
    steps_done = models.PositiveIntegerField(default=0)
    steps_expected = models.PositiveIntegerField(default=0)
    sandbox_level = models.CharField(max_length=12, blank=True, help_text="Empty: not known yet.")
    final_sigma = models.JSONField(null=True, blank=True)
    final_sigma_low = models.JSONField(null=True, blank=True)
    final_sigma_high = models.JSONField(null=True, blank=True)
    mixture_quality = models.JSONField(
        null=True, blank=True, help_text="MixtureQuality of the newest mixture as JSON."
    )
    best_policy_index = models.PositiveIntegerField(null=True, blank=True)
    held_out = models.JSONField(
        null=True, blank=True, help_text="List of HeldOut as JSON; null until the run has ended."
    )
    exact = models.JSONField(
        null=True, blank=True, help_text="ExactFigures as JSON; null where nothing was computed."
    )
    agent = models.JSONField(
        null=True, blank=True, help_text="AgentCounts as JSON; null for runs of programs."
    )
    decisions = models.BigIntegerField(
        null=True, blank=True, help_text="Decisions played so far, of both sides; null: not known."
    )
    lower_bound = models.JSONField(
        null=True, blank=True, help_text="Of a challenge: what it found so far, and its policy."
    )
    held_out_looks = models.PositiveIntegerField(default=0)
    folded = models.PositiveIntegerField(
        default=0, help_text="How many step results the projections of this run hold."
    )
    change = models.PositiveBigIntegerField(
        default=0, help_text="Raised with every change; pages poll with it as their cursor."
    )

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.name or f"Run {self.pk}"

    @property
    def has_writer(self) -> bool:
        """False for the baselines: nobody proposes code for them, whatever ``writer`` holds."""
        return self.oracle not in BASELINES

    @property
    def has_loop(self) -> bool:
        """Whether best responses are searched for; some baselines are only evaluated."""
        return self.oracle not in UNTRAINED

    @property
    def is_challenge(self) -> bool:
        """Whether its opponents are frozen, and an exploiter of them is what it is after."""
        return bool(self.config.get("challenge"))

    @property
    def has_ended(self) -> bool:
        return self.state in ENDED

    @property
    def search_is_over(self) -> bool:
        """Whether it was evaluated, or will never be; people may still change its population."""
        return self.has_ended or self.ended_at is not None

    @property
    def is_revised(self) -> bool:
        """Whether it goes on after its search because somebody changed its population."""
        return not self.has_ended and self.ended_at is not None


class StepState(models.TextChoices):
    READY = LeaseState.READY.value, "Ready"
    WAITING = "waiting", "Waits for a person"
    CLAIMED = LeaseState.CLAIMED.value, "In work"
    DONE = LeaseState.DONE.value, "Done"
    FAILED = LeaseState.FAILED.value, "Failed"


class Step(LeasedRow):
    """One piece of durable work: claimed with a lease, saved only by the owner of that lease."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="steps")
    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=20)
    label = models.CharField(max_length=200, blank=True)
    inputs = ExactJSONField(default=dict)
    order = models.PositiveIntegerField(help_text="Position in the order the loop asked for steps.")
    state = models.CharField(max_length=10, choices=StepState.choices, default=StepState.READY)
    result = ExactJSONField(null=True, blank=True)

    objects = LeasedRows.as_manager()

    class Meta(LeasedRow.Meta):
        ordering = ["run", "order"]
        constraints = [
            models.UniqueConstraint(fields=["run", "key"], name="one_step_per_key"),
            *lease_constraints(done="done_has_result", claimed="claimed_has_owner_and_lease"),
        ]

    def __str__(self) -> str:
        return f"{self.run_id}:{self.key}"


class Iteration(models.Model):
    """Projection of ``oracles.state.IterationRecord``."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="iterations")
    index = models.PositiveIntegerField()
    sigma = models.JSONField()
    sigma_low = models.JSONField()
    sigma_high = models.JSONField()
    gain_mean = models.FloatField(null=True, blank=True)
    gain_low = models.FloatField(null=True, blank=True)
    gain_high = models.FloatField(null=True, blank=True)
    policy_index = models.PositiveIntegerField(null=True, blank=True)
    finished = models.BooleanField(default=False)
    note = models.TextField(blank=True, help_text="Why it ended without a policy, or stopped.")
    evolution = models.JSONField(
        null=True, blank=True, help_text="oracles.state.EvolutionRecord as JSON; null without one."
    )

    class Meta:
        ordering = ["run", "index"]
        constraints = [
            models.UniqueConstraint(fields=["run", "index"], name="one_iteration_per_index")
        ]

    def __str__(self) -> str:
        return f"{self.run_id}: iteration {self.index}"


class Match(models.Model):
    """A match that was played, keyed by content, so that it is never played twice in any run."""

    key = models.CharField(max_length=64, unique=True)
    game = models.CharField(max_length=40)
    params = models.JSONField(default=dict)
    a = models.CharField(
        max_length=90, db_index=True, help_text="Player key of side A (or its hash)."
    )
    b = models.CharField(max_length=90, db_index=True)
    episodes = models.PositiveIntegerField()
    seed = models.BigIntegerField()
    batch_size = models.PositiveIntegerField()
    sandbox_level = models.CharField(max_length=12)
    engine_version = models.CharField(max_length=20)
    mean = models.FloatField()
    variance = models.FloatField(null=True, blank=True, help_text="Null with a single episode.")
    faults_a = models.PositiveIntegerField()
    faults_b = models.PositiveIntegerField()
    result = ExactJSONField(help_text="games.match.MatchResult as JSON.")
    played_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "matches"

    def __str__(self) -> str:
        return f"{self.game} {self.key[:12]}"


class Cell(models.Model):
    """A cell of a run's antisymmetric payoff matrix, ``row > column``: projection of CellRecord."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="cells")
    row = models.PositiveIntegerField()
    column = models.PositiveIntegerField()
    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="cells")
    mean = models.FloatField()
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["run", "row", "column"]
        constraints = [
            models.UniqueConstraint(fields=["run", "row", "column"], name="one_cell_per_pair"),
            models.CheckConstraint(
                name="cell_below_diagonal", condition=models.Q(row__gt=models.F("column"))
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id}: {self.row} against {self.column}"
