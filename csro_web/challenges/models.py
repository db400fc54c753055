"""Challenges: runs against frozen opponents, and whom they were made for."""

from __future__ import annotations

from django.db import models

from csro_web.policies.models import Policy
from csro_web.runs.models import Run

LONGEST_TITLE = 160


class Challenge(models.Model):
    """A run that looks for an exploiter of ``target``; what it found stands in the run itself."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="challenge")
    target = models.CharField(
        max_length=120,
        db_index=True,
        help_text="Key of the player (code:HASH, bot:NAME), or run:NUMBER for a final mixture.",
    )
    title = models.CharField(max_length=LONGEST_TITLE)
    policy = models.ForeignKey(
        Policy, null=True, blank=True, on_delete=models.SET_NULL, related_name="challenges"
    )
    source_run = models.ForeignKey(
        Run, null=True, blank=True, on_delete=models.SET_NULL, related_name="mixture_challenges"
    )

    def __str__(self) -> str:
        return f"challenge of {self.title}"
