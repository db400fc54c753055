"""What people answer in a language model's place, for runs whose writer is ``manual``."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from csro_web.runs.models import Step


class Answer(models.Model):
    """One person's answer to one request: a draft while ``sent_at`` is empty, then for good.

    Several people may draft an answer to the same request; one of them is sent.
    """

    step = models.ForeignKey(Step, on_delete=models.CASCADE, related_name="answers")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="answers"
    )
    text = models.TextField(blank=True)
    updated_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["step", "updated_at"]
        constraints = [
            models.UniqueConstraint(fields=["step", "person"], name="one_answer_per_person"),
            models.UniqueConstraint(
                fields=["step"],
                condition=models.Q(sent_at__isnull=False),
                name="one_answer_sent_per_request",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.step}: {self.person}"
