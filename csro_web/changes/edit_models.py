"""What people type, try and bring along before it is committed to a population."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from csro_web.jobs.models import Job
from csro_web.policies.models import Policy
from csro_web.runs.fields import ExactJSONField
from csro_web.runs.models import Run


class EditDraft(models.Model):
    """What a person has typed on the page that edits ``policy``, and not committed yet.

    ``version`` is raised with every save: a page says which one it began with. ``tab`` and
    ``tab_order`` name the page that saved last and how far its typing was, so that a save that
    comes late can be told from another page's.
    """

    policy = models.ForeignKey(Policy, on_delete=models.CASCADE, related_name="drafts")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="edit_drafts"
    )
    text = models.TextField(blank=True)
    version = models.PositiveIntegerField(default=1)
    tab = models.CharField(max_length=40, blank=True)
    tab_order = models.BigIntegerField(default=0, help_text="0: sent by a page without scripts.")
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-updated_at"]
        constraints = [
            models.UniqueConstraint(fields=["policy", "person"], name="one_draft_per_person")
        ]

    def __str__(self) -> str:
        return f"{self.person}'s draft of {self.policy}"


class SetAside(models.Model):
    """The text of a page that a newer draft of the same person had overtaken: kept beside it."""

    draft = models.ForeignKey(EditDraft, on_delete=models.CASCADE, related_name="set_aside")
    tab = models.CharField(max_length=40)
    text = models.TextField()
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-updated_at"]
        constraints = [
            models.UniqueConstraint(fields=["draft", "tab"], name="one_text_aside_per_page")
        ]

    def __str__(self) -> str:
        return f"set aside: {self.draft}"


class Trial(models.Model):
    """An edit that was played against the population, beside its parent, for a look at it.

    No part of the run: its result is the job's. ``source`` stays, whatever becomes of the draft.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="trials")
    policy = models.ForeignKey(
        Policy, on_delete=models.CASCADE, related_name="trials", help_text="What was edited."
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="trials"
    )
    source = models.TextField()
    sha256 = models.CharField(max_length=64)
    episodes = models.PositiveIntegerField(help_text="Per opponent.")
    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="trial")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["run", "sha256"])]

    def __str__(self) -> str:
        return f"trial {self.pk} of {self.policy}"


class PendingImport(models.Model):
    """Programs that a person brought along: shown to them first, then committed one by one.

    ``items`` is a list of ``csro_web.changes.imports.Item`` as JSON, in order, each with what
    became of it. What was brought is text here; no file of it is kept.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="imports")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="imports"
    )
    origin = ExactJSONField(default=dict, help_text="File name, SHA-256, signature: as found.")
    items = ExactJSONField(default=list)
    left_out = ExactJSONField(default=list, help_text="What could not be read, and why.")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"import {self.pk} into {self.run}"


class BroughtProgram(models.Model):
    """Who pasted or uploaded which program, by the hash that it would be committed with: kept when
    the import itself is removed. Members of other runs are no news and have none."""

    pending = models.ForeignKey(
        PendingImport, null=True, on_delete=models.SET_NULL, related_name="programs"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="brought_programs"
    )
    sha256 = models.CharField(max_length=64, db_index=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.sha256[:12]}, brought by {self.person}"


class Fingerprint(models.Model):
    """Which program the text with this hash is, comments, docstrings and layout apart."""

    sha256 = models.CharField(max_length=64, unique=True)
    program = models.CharField(
        max_length=64,
        db_index=True,
        blank=True,
        help_text="oracles.fingerprint; empty: no program to this Python.",
    )
    grammar = models.CharField(
        max_length=10, help_text="Python version whose grammar the fingerprint follows."
    )

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.sha256[:12]}: {self.program[:12]}"
