"""Every request that was sent to a language model, and what a run has spent on them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from csro_web.runs.fields import ExactJSONField
from csro_web.runs.models import Run
from oracles.models import OutcomeKind, Purpose

RESEND = "resend/"
"""Begins the keys of calls that were sent once more: the run itself never asked for those."""
NANO = 1_000_000_000
"""Prices are counted in whole billionths of a US dollar, so that sums are exact."""


class CallOutcome(models.TextChoices):
    """``oracles.models.OutcomeKind``, and the requests that have none yet."""

    IN_FLIGHT = "in_flight", "In flight"
    ANSWERED = str(OutcomeKind.ANSWERED), "Answered"
    RATE_LIMITED = str(OutcomeKind.RATE_LIMITED), "Rate limited"
    TIMED_OUT = str(OutcomeKind.TIMED_OUT), "Timed out"
    SERVER_ERROR = str(OutcomeKind.SERVER_ERROR), "Server error"
    BAD_ANSWER = str(OutcomeKind.BAD_ANSWER), "Bad answer"
    UNREACHABLE = str(OutcomeKind.UNREACHABLE), "Unreachable"
    NOT_AUTHORISED = str(OutcomeKind.NOT_AUTHORISED), "Not authorised"
    REJECTED = str(OutcomeKind.REJECTED), "Rejected"
    ABANDONED = str(OutcomeKind.ABANDONED), "Abandoned"


class CallPurpose(models.TextChoices):
    WRITE = str(Purpose.WRITE), "Write a policy"
    SUMMARY = str(Purpose.SUMMARY), "Summarise a policy"
    TURN = str(Purpose.TURN), "Choose a move"


class Spending(models.Model):
    """What a run's requests have cost so far, those in flight at their upper estimates.

    One row for each run: the database lets one request after the other change it, so that no
    number of workers can pass a limit together.
    """

    run = models.OneToOneField(
        Run, on_delete=models.CASCADE, primary_key=True, related_name="spending"
    )
    calls = models.PositiveBigIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)
    nano_usd = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"spending of run {self.run_id}"


class ModelCall(models.Model):
    """One request, written before it is sent. What is not known is null, never zero."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="model_calls")
    key = models.CharField(max_length=200, help_text="What it was asked for; retries share it.")
    purpose = models.CharField(max_length=12, choices=CallPurpose.choices)
    attempt = models.PositiveIntegerField(help_text="Counts the requests for this key from 1.")
    endpoint = models.CharField(max_length=100, blank=True)
    model_asked = models.CharField(max_length=200)
    model_served = models.CharField(max_length=200, blank=True)
    messages = ExactJSONField()
    parameters = ExactJSONField(default=dict)
    answer = ExactJSONField(null=True, blank=True)
    answer_cut = models.PositiveBigIntegerField(
        default=0, help_text="Characters of the answer that were too many to keep."
    )
    finish_reason = models.CharField(max_length=100, blank=True)
    prompt_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    nano_usd = models.PositiveBigIntegerField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    outcome = models.CharField(
        max_length=16, choices=CallOutcome.choices, default=CallOutcome.IN_FLIGHT
    )
    error = models.TextField(blank=True)
    reserved_tokens = models.PositiveBigIntegerField()
    reserved_nano_usd = models.PositiveBigIntegerField(null=True, blank=True)
    owner = models.CharField(max_length=80, help_text="The process that sent it.")
    sent_at = models.DateTimeField(default=timezone.now)
    overdue_at = models.DateTimeField(help_text="Nobody can still be waiting for it after this.")
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["run", "id"]
        indexes = [
            models.Index(fields=["run", "key"]),
            models.Index(
                fields=["overdue_at"],
                name="calls_in_flight",
                condition=models.Q(outcome="in_flight"),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                name="in_flight_or_ended",
                condition=models.Q(outcome="in_flight", ended_at=None)
                | (~models.Q(outcome="in_flight") & models.Q(ended_at__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id}:{self.key}#{self.attempt}"

    @property
    def tokens(self) -> int | None:
        """Prompt and completion together; None when either is unknown."""
        if self.prompt_tokens is None or self.completion_tokens is None:
            return None
        return self.prompt_tokens + self.completion_tokens

    @property
    def usd(self) -> float | None:
        return None if self.nano_usd is None else self.nano_usd / NANO

    @property
    def reserved_usd(self) -> float | None:
        return None if self.reserved_nano_usd is None else self.reserved_nano_usd / NANO


class ResendState(models.TextChoices):
    WAITING = "waiting", "Waiting for a worker"
    SENDING = "sending", "Being sent"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class Resend(models.Model):
    """An operator's wish to send a call once more. A worker does it: only workers have keys."""

    call = models.ForeignKey(ModelCall, on_delete=models.CASCADE, related_name="resends")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT
    )
    asked_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(
        max_length=10, choices=ResendState.choices, default=ResendState.WAITING
    )
    owner = models.CharField(max_length=80, blank=True)
    queued_at = models.DateTimeField(null=True, blank=True)
    failure = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["call"],
                name="one_open_resend",
                condition=models.Q(state__in=["waiting", "sending"]),
                violation_error_message="This call is being sent once more already.",
            )
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def key(self) -> str:
        """Key of the calls that it makes."""
        return f"{RESEND}{self.call_id}/{self.pk}"
