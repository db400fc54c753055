"""Threads on lines of code, the reviews they are published with, and people's inboxes.

What was published never changes: a correction is a new comment. Drafts belong to a review whose
``published_at`` is empty, and only its author sees them.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone

from csro_web.policies.models import Candidate, Policy
from csro_web.policies.programs import Program, Reference
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


class OfProgram(models.Model):
    """A row about one program: a policy, or a candidate that is of no population (yet)."""

    policy = models.ForeignKey(
        Policy, null=True, blank=True, on_delete=models.CASCADE, related_name="%(class)ss"
    )
    candidate = models.ForeignKey(
        Candidate, null=True, blank=True, on_delete=models.CASCADE, related_name="%(class)ss"
    )

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                name="%(class)s_of_one_program",
                condition=models.Q(policy__isnull=False, candidate__isnull=True)
                | models.Q(policy__isnull=True, candidate__isnull=False),
            ),
        ]

    @property
    def program(self) -> Program:
        found: Program | None = self.policy or self.candidate
        if found is None:
            raise ValueError(f"{self} is about no program")
        return found

    @property
    def reference(self) -> Reference:
        """What names the program, without a query."""
        return f"c{self.candidate_id}" if self.candidate_id else str(self.policy_id)


def of(program: Program) -> dict[str, Program]:
    """The field of :class:`OfProgram` that holds the program, for filters and new rows."""
    return {"candidate" if isinstance(program, Candidate) else "policy": program}


class Review(OfProgram):
    """What one person says of one program: a draft first, then published as a whole, for good."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
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

    class Meta(OfProgram.Meta):
        ordering = ["-published_at", "-id"]
        constraints = [
            *OfProgram.Meta.constraints,
            models.UniqueConstraint(
                fields=["policy", "author"],
                condition=models.Q(published_at__isnull=True),
                name="one_draft_review_per_person",
            ),
            models.UniqueConstraint(
                fields=["candidate", "author"],
                condition=models.Q(published_at__isnull=True),
                name="one_draft_review_per_person_and_candidate",
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


class Thread(OfProgram, Decided):
    """A question about lines ``first_line`` to ``last_line`` of a program, whose text they quote.

    The state here is the one at that program; what was decided at versions that descend from it
    stands in :class:`Decision`.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64, help_text="Of the text it is anchored to.")
    side = models.CharField(max_length=4, choices=Side.choices, default=Side.CODE)
    other = models.ForeignKey(
        Policy,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The policy that it was compared with; null: none.",
    )
    other_candidate = models.ForeignKey(
        Candidate,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The candidate that it was compared with; null: none.",
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
        ordering = ["run", "first_line", "id"]
        indexes = [models.Index(fields=["run", "-created_at", "-id"], name="threads_of_a_run")]
        constraints = [
            *OfProgram.Meta.constraints,
            *Decided.Meta.constraints,
            models.CheckConstraint(
                name="thread_lines_in_order",
                condition=models.Q(first_line__gte=1, last_line__gte=models.F("first_line")),
            ),
        ]

    def __str__(self) -> str:
        return f"thread {self.pk}"

    @property
    def other_reference(self) -> Reference | None:
        """What names the program that it was compared with, without a query."""
        if self.other_candidate_id:
            return f"c{self.other_candidate_id}"
        return str(self.other_id) if self.other_id else None


class Decision(OfProgram, Decided):
    """The state of a thread at a version that descends from the one it was opened on.

    It counts for that version and for what descends from it in turn, until a later one decides
    otherwise (:mod:`csro_web.reviews.standing`).
    """

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="decisions")

    class Meta(Decided.Meta):
        ordering = ["thread", "id"]
        constraints = [
            *OfProgram.Meta.constraints,
            *Decided.Meta.constraints,
            models.UniqueConstraint(
                fields=["thread", "policy"], name="one_decision_per_thread_and_version"
            ),
            models.UniqueConstraint(
                fields=["thread", "candidate"], name="one_decision_per_thread_and_candidate"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.thread} at {self.reference}"


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
    REVIEW = "review", "Review of your program"
    REPLY = "reply", "Reply in your thread"
    RESOLVED = "resolved", "Your thread was resolved"


class InboxItem(OfProgram):
    """Something that a person should see."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="inbox"
    )
    kind = models.CharField(max_length=10, choices=InboxKind.choices)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
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

    class Meta(OfProgram.Meta):
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["person", "read_at", "-created_at"])]
        constraints = [
            *OfProgram.Meta.constraints,
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
