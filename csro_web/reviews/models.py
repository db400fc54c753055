"""Threads on lines of code, the reviews they are published with, and people's inboxes.

What was published never changes: a correction is a new comment. Drafts belong to a review whose
``published_at`` is empty, and only its author sees them.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone

from csro_web.policies.models import Policy
from csro_web.runs.models import Run

LONGEST_COMMENT = 20_000
"""Characters of a comment or of a review's own words."""


class Verdict(models.TextChoices):
    COMMENT = "comment", "Comment"
    LOOKS_GOOD = "looks_good", "Looks good"
    CHANGES_REQUESTED = "changes_requested", "Changes requested"


class Side(models.TextChoices):
    """Where the lines were read when they were selected; they are lines of ``Thread.policy``."""

    CODE = "code", "on its own page"
    OLD = "old", "as the old side of a comparison"
    NEW = "new", "as the new side of a comparison"


class State(models.TextChoices):
    OPEN = "open", "Open"
    RESOLVED = "resolved", "Resolved"


class Review(models.Model):
    """What one person says about one policy: a draft first, then published as a whole, for good."""

    policy = models.ForeignKey(Policy, on_delete=models.CASCADE, related_name="reviews")
    sha256 = models.CharField(max_length=64, help_text="Of the text that was reviewed.")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reviews"
    )
    verdict = models.CharField(max_length=20, choices=Verdict.choices, default=Verdict.COMMENT)
    body = models.TextField(blank=True)
    key = models.UUIDField(
        unique=True,
        default=uuid.uuid4,
        help_text="Of the form it was published with: one form publishes one review.",
    )
    updated_at = models.DateTimeField(default=timezone.now)
    published_at = models.DateTimeField(null=True, blank=True, help_text="Null: a draft.")

    class Meta:
        ordering = ["-published_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["policy", "author"],
                condition=models.Q(published_at__isnull=True),
                name="one_draft_review_per_person",
            ),
        ]

    def __str__(self) -> str:
        return f"review {self.pk}"

    @property
    def is_draft(self) -> bool:
        return self.published_at is None


class Decided(models.Model):
    """Whether a thread is open at one version, and who decided so."""

    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    resolved_at = models.DateTimeField(null=True, blank=True)
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    confirmed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                name="%(class)s_resolved_by_somebody",
                condition=models.Q(
                    state="open",
                    resolved_by__isnull=True,
                    resolved_at__isnull=True,
                    confirmed_by__isnull=True,
                    confirmed_at__isnull=True,
                )
                | models.Q(state="resolved", resolved_by__isnull=False, resolved_at__isnull=False),
            ),
        ]


class ThreadQuerySet(models.QuerySet["Thread"]):
    def published(self) -> ThreadQuerySet:
        return self.filter(review__published_at__isnull=False)


class Thread(Decided):
    """A question about lines ``first_line`` to ``last_line`` of ``policy``, whose text they quote.

    The state here is the one at ``policy``; what was decided at versions that descend from it
    stands in :class:`Decision`.
    """

    policy = models.ForeignKey(Policy, on_delete=models.CASCADE, related_name="threads")
    sha256 = models.CharField(max_length=64, help_text="Of the text it is anchored to.")
    side = models.CharField(max_length=4, choices=Side.choices, default=Side.CODE)
    other = models.ForeignKey(
        Policy,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="What it was compared with; null: it was read on its own page.",
    )
    first_line = models.PositiveIntegerField(help_text="From 1.")
    last_line = models.PositiveIntegerField()
    quote = models.TextField(help_text="The lines as they were, joined by line feeds.")
    wants_confirmation = models.BooleanField(
        default=False, help_text="Whether who opened it wants to check that it is resolved."
    )
    opened_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="threads"
    )
    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="threads")
    created_at = models.DateTimeField(default=timezone.now)

    objects = ThreadQuerySet.as_manager()

    class Meta(Decided.Meta):
        ordering = ["policy", "first_line", "id"]
        constraints = [
            *Decided.Meta.constraints,
            models.CheckConstraint(
                name="thread_lines_in_order",
                condition=models.Q(first_line__gte=1, last_line__gte=models.F("first_line")),
            ),
        ]

    def __str__(self) -> str:
        return f"thread {self.pk}"


class Decision(Decided):
    """The state of a thread at a version that descends from the one it was opened on.

    It counts for that version and for what descends from it in turn, until a later one decides
    otherwise (:mod:`csro_web.reviews.standing`).
    """

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="decisions")
    policy = models.ForeignKey(Policy, on_delete=models.CASCADE, related_name="+")

    class Meta(Decided.Meta):
        ordering = ["thread", "id"]
        constraints = [
            *Decided.Meta.constraints,
            models.UniqueConstraint(
                fields=["thread", "policy"], name="one_decision_per_thread_and_version"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.thread} at policy {self.policy_id}"


class Comment(models.Model):
    """One person's words in a thread. Those of a draft review are seen by their author alone."""

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="comments"
    )
    body = models.TextField(blank=True, help_text="Empty only in a draft.")
    key = models.UUIDField(
        unique=True,
        default=uuid.uuid4,
        help_text="Of the box it was typed in: one box makes one comment.",
    )
    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="comments")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["thread", "created_at", "id"]

    def __str__(self) -> str:
        return f"comment {self.pk}"


class InboxKind(models.TextChoices):
    """Why something is in an inbox; what comes first here wins where several apply."""

    CONFIRM = "confirm", "Waits for you to confirm"
    MENTION = "mention", "You were mentioned"
    CHANGES_REQUESTED = "changes", "Changes requested"
    REVIEW = "review", "Review of your policy"
    REPLY = "reply", "Reply in your thread"
    RESOLVED = "resolved", "Your thread was resolved"


class InboxItem(models.Model):
    """Something that a person should see."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="inbox"
    )
    kind = models.CharField(max_length=10, choices=InboxKind.choices)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    policy = models.ForeignKey(Policy, on_delete=models.CASCADE, related_name="+")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    review = models.ForeignKey(
        Review, null=True, blank=True, on_delete=models.CASCADE, related_name="inbox_items"
    )
    thread = models.ForeignKey(
        Thread, null=True, blank=True, on_delete=models.CASCADE, related_name="inbox_items"
    )
    comment = models.ForeignKey(
        Comment, null=True, blank=True, on_delete=models.CASCADE, related_name="inbox_items"
    )
    created_at = models.DateTimeField(default=timezone.now)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["person", "read_at", "-created_at"])]
        constraints = [
            models.UniqueConstraint(
                fields=["person", "review", "thread"],
                condition=models.Q(review__isnull=False, thread__isnull=False),
                name="one_inbox_item_per_thread_of_a_review",
            ),
            models.UniqueConstraint(
                fields=["person", "review"],
                condition=models.Q(review__isnull=False, thread__isnull=True),
                name="one_inbox_item_per_review",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.person}"


class SavedView(models.Model):
    """Filters of the inbox that a person gave a name."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views"
    )
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=300, help_text="The filters, as they stand in an address.")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["person", "name"], name="one_saved_view_per_name")
        ]

    def __str__(self) -> str:
        return self.name


class MailChoice(models.Model):
    """A person who wants no e-mail about reviews; without a row they are sent."""

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mail_choice"
    )
    wanted = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"{self.person}: {self.wanted}"
