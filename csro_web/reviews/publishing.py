"""Publishes a review as a whole: its threads, replies and verdict, who is told, and the record."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.policies.models import Policy
from csro_web.policies.programs import Program, reference
from csro_web.reviews import audience, drafts, lineage, mail, seen
from csro_web.reviews.errors import AlreadyPublished, ReviewError, Stale
from csro_web.reviews.models import Comment, Review, Thread, Verdict, of
from csro_web.reviews.selectors import ThreadAt, threads_of
from csro_web.reviews.signals import review_published, thread_opened


def publish(
    *,
    program: Program,
    person: User,
    key: UUID,
    body: str,
    verdict: Verdict,
    mark: str,
    draft: int | None = None,
) -> Review:
    """Publish the person's draft review of ``program`` with these words and this verdict.

    The form with this ``key`` publishes once: sent again, it gives the same review. ``draft`` is
    the draft review that the form showed.

    Raises:
        ReviewError: when there is nothing to publish, or the text is too long.
        Stale: when things changed since the page of ``mark``; words and verdict are kept.
    """
    if (done := _done_already(key, person)) is not None:
        return done
    drafts.keep_words(program=program, person=person, body=body, verdict=verdict)
    with transaction.atomic():
        review = drafts.hold(program, person)
        if (done := _done_already(key, person)) is not None:
            _forget_copy(review, done)
            return done
        if draft is not None and draft != review.pk:
            raise Stale(["You published this review, or emptied it, in another window."])
        comments = _comments_to_publish(review)
        seen.check(mark, program, _replied_to(program, comments), person.pk)
        if not (comments or review.body.strip() or verdict == Verdict.LOOKS_GOOD):
            raise ReviewError(
                "Say what is to be changed, in the review or at a line."
                if verdict == Verdict.CHANGES_REQUESTED
                else "There is nothing to publish yet: write something, or comment on a line."
            )
        return _publish(review, key, comments)


def publish_alone(*, comment: Comment, program: Program, person: User, mark: str) -> Review:
    """Publish one draft comment as a review of its own, without a verdict; other drafts stay.

    Raises:
        ReviewError: when it is empty.
        AlreadyPublished: when it is published already.
        Stale: when things changed since the page of ``mark``.
    """
    with transaction.atomic():
        drafts.hold(program, person)
        draft = (
            Comment.objects.select_related("review", "thread")
            .filter(pk=comment.pk, author=person)
            .first()
        )
        if draft is None:
            raise ReviewError("This draft was discarded in another window.")
        if not draft.review.is_draft:
            raise AlreadyPublished("This comment is published already.")
        if not draft.body.strip():
            raise ReviewError("Write something first.")
        seen.check(mark, program, _replied_to(program, [draft]), person.pk)
        # Not a draft for one moment: a person has one draft review of a program.
        alone = Review.objects.create(
            **of(program),
            run=program.run,
            sha256=program.sha256,
            author=person,
            published_at=timezone.now(),
        )
        Comment.objects.filter(pk=draft.pk).update(review=alone)
        Thread.objects.filter(pk=draft.thread_id, review=draft.review_id).update(review=alone)
        return _publish(alone, alone.key, [draft])


def _done_already(key: UUID, person: User) -> Review | None:
    return Review.objects.filter(key=key, author=person, published_at__isnull=False).first()


def _forget_copy(review: Review, done: Review) -> None:
    """Words that a second sending of a published form has kept as a new draft."""
    copies = Review.objects.filter(pk=review.pk, comments__isnull=True, body=done.body)
    copies.filter(published_at__isnull=True).delete()


def _comments_to_publish(review: Review) -> list[Comment]:
    """The draft's comments; boxes that stayed empty are thrown away."""
    for comment in Comment.objects.filter(review=review):
        if not comment.body.strip():
            comment.delete()
    drafts.drop_threads_without_comments(review.pk)
    return list(Comment.objects.filter(review=review).select_related("thread"))


def _replied_to(program: Program, comments: Sequence[Comment]) -> list[ThreadAt]:
    """The published threads that these comments reply to, as they stand at the program."""
    replied = {comment.thread_id for comment in comments}
    return [one for one in threads_of(program) if one.thread.pk in replied] if replied else []


def _publish(review: Review, key: UUID, comments: Sequence[Comment]) -> Review:
    """The rest of the transaction."""
    program, person, now = review.program, review.author, timezone.now()
    Review.objects.filter(pk=review.pk).update(
        key=key, published_at=now, updated_at=now, sha256=program.sha256
    )
    Comment.objects.filter(review=review).update(created_at=now)
    opened = list(Thread.objects.filter(review=review))
    Thread.objects.filter(review=review).update(created_at=now)
    review.refresh_from_db()
    people = audience.tell_of_review(review, list(comments))
    mail.ask_for_letters(review, people)
    if opened:
        for version in policies_from(program):
            thread_opened.send(Thread, policy=version, person=person)
    if isinstance(program, Policy):
        review_published.send(
            Review,
            policy=program,
            person=person,
            verdict=review.verdict,
            reason=review.body[:500],
        )
    record(
        Action.REVIEW_PUBLISHED,
        actor=person,
        subject=review,
        run_id=program.run_id,
        detail={
            **named(program),
            "sha256": program.sha256,
            "verdict": review.verdict,
            "body_sha256": _sha256(review.body),
            "threads": [thread.pk for thread in opened],
            "comments": [
                {"comment": one.pk, "thread": one.thread_id, "sha256": _sha256(one.body)}
                for one in comments
            ],
        },
    )
    return review


def policies_from(program: Program) -> list[Policy]:
    """The policies among the program and what descends from it: where its threads count for an
    approval. In the order of their keys, in which every transaction holds their standings."""
    earlier = lineage.earlier_versions([program.run_id])
    versions = lineage.descendants(reference(program), lineage.later_versions(earlier))
    keys = [int(one) for one in versions if not one.startswith("c")]
    return list(Policy.objects.filter(pk__in=keys).defer("source").order_by("pk"))


def named(program: Program) -> dict[str, int]:
    """The program as the trail names it."""
    return {kind: found.pk for kind, found in of(program).items()}


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
