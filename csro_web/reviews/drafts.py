"""Keeps what people are writing. Nobody but its author sees a draft.

All drafts of a person about a program belong to one unpublished review. Whoever writes into it
changes its row first, so that nothing slips into a review while another window publishes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from csro_web.accounts.models import User
from csro_web.policies.diff import split_lines
from csro_web.policies.models import Candidate
from csro_web.policies.programs import Program
from csro_web.reviews.anchors import Lines
from csro_web.reviews.errors import AlreadyPublished, ReviewError
from csro_web.reviews.models import LONGEST_COMMENT, Comment, Review, Side, Thread, Verdict, of
from oracles.text import storable

MOST_LINES = 500
"""Lines of one thread."""


@dataclass(frozen=True)
class Selection:
    """Lines of a program that a person selected, and where they read them."""

    lines: Lines
    side: Side = Side.CODE
    other: Program | None = None


@transaction.atomic
def open_thread(
    *,
    program: Program,
    person: User,
    key: UUID,
    selection: Selection,
    body: str,
    wants_confirmation: bool = False,
) -> Comment:
    """Keep the first comment of a new thread; the box with this ``key`` makes one, however often.

    Raises:
        ReviewError: when the program has no such lines, or the text is too long.
        AlreadyPublished: when what this box held is published.
    """
    check_lines(program, selection.lines)
    review = hold(program, person)
    known = _known(key, person)
    place = {
        "first_line": selection.lines.first,
        "last_line": selection.lines.last,
        "quote": storable(selection.lines.of(program.source)),
        "side": selection.side,
        **_other(selection.other),
        "wants_confirmation": wants_confirmation,
    }
    if known is not None:
        if known.thread.program != program or known.thread.review_id != known.review_id:
            raise ReviewError("This box belongs to another thread: open a new one.")
        Thread.objects.filter(pk=known.thread_id).update(**place)
        return _write(known, body)
    thread = Thread.objects.create(
        **of(program),
        run=program.run,
        sha256=program.sha256,
        opened_by=person,
        review=review,
        **place,
    )
    return _write(Comment(thread=thread, author=person, key=key, review=review), body)


@transaction.atomic
def reply(*, thread: Thread, program: Program, person: User, key: UUID, body: str) -> Comment:
    """Keep a reply, written on the page of ``program``: the thread's own or a later version of it.

    Raises:
        ReviewError: when the text is too long.
        AlreadyPublished: when what this box held is published.
    """
    review = hold(program, person)
    known = _known(key, person)
    if known is not None:
        if known.thread_id != thread.pk:
            raise ReviewError("This box belongs to another thread: open a new one.")
        return _write(known, body)
    return _write(Comment(thread=thread, author=person, key=key, review=review), body)


@transaction.atomic
def keep_words(*, program: Program, person: User, body: str, verdict: Verdict) -> Review:
    """Keep the review's own words and its verdict.

    Raises:
        ReviewError: when the text is too long.
    """
    review = hold(program, person)
    review.body, review.verdict = check_length(body), verdict
    review.save(update_fields=["body", "verdict"])
    return review


@transaction.atomic
def discard(*, comment: Comment, person: User) -> None:
    """Throw a draft away, and with its first comment the thread that it would have opened.

    Raises:
        ReviewError: when it is no draft of this person any more.
    """
    hold(comment.review.program, person)
    mine = Comment.objects.filter(pk=comment.pk, author=person, review__published_at__isnull=True)
    if not mine.exists():
        raise ReviewError("This comment is published: it stays. Write another one to correct it.")
    Comment.objects.filter(pk=comment.pk).delete()
    drop_threads_without_comments(comment.review_id)


def drop_threads_without_comments(review_id: int) -> None:
    Thread.objects.filter(review=review_id, comments__isnull=True).delete()


def hold(program: Program, person: User) -> Review:
    """The person's draft review of the program, made if there is none, held to the transaction's
    end: nobody else publishes it in the meantime."""
    if not program.source:
        raise ReviewError("There is no program here: there is nothing to review.")
    mine = Review.objects.filter(**of(program), author=person, published_at__isnull=True)
    while not mine.update(updated_at=timezone.now()):  # none, or published since it was found
        Review.objects.get_or_create(
            **of(program),
            author=person,
            published_at=None,
            defaults={"sha256": program.sha256, "run": program.run},
        )
    return mine.get()


def check_lines(program: Program, lines: Lines) -> None:
    count = len(split_lines(program.source))
    if not 1 <= lines.first <= lines.last <= count:
        raise ReviewError(
            f"The program has lines 1 to {count}: choose a first and a last line among them."
        )
    if lines.last - lines.first >= MOST_LINES:
        raise ReviewError(f"A thread is about {MOST_LINES} lines at most: choose fewer.")


def check_length(body: str) -> str:
    """The text as it is stored.

    Raises:
        ReviewError: when it is too long.
    """
    if len(body) > LONGEST_COMMENT:
        raise ReviewError(
            f"The text is too long: {len(body):,} characters; at most {LONGEST_COMMENT:,}."
        )
    stored: str = storable(body)
    return stored


def _other(program: Program | None) -> dict[str, Program | None]:
    """The fields of a thread that hold what its program was compared with."""
    is_candidate = isinstance(program, Candidate)
    return {
        "other": None if is_candidate else program,
        "other_candidate": program if is_candidate else None,
    }


def _known(key: UUID, person: User) -> Comment | None:
    known = Comment.objects.select_related("review", "thread").filter(key=key).first()
    if known is None:
        return None
    if known.author_id != person.pk:
        raise ReviewError("This box is somebody else's: open a new one.")
    if not known.review.is_draft:
        raise AlreadyPublished("This comment is published already.")
    return known


def _write(comment: Comment, body: str) -> Comment:
    comment.body, comment.updated_at = check_length(body), timezone.now()
    comment.save()
    return comment
