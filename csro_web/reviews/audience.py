"""Who is told of what: puts items into people's inboxes, within the transaction that did it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from csro_web.accounts.models import User
from csro_web.changes.handwriting import answered
from csro_web.changes.people import people_behind
from csro_web.policies.models import Policy
from csro_web.policies.programs import Program
from csro_web.reviews.mentions import mentioned
from csro_web.reviews.models import Comment, InboxItem, InboxKind, Review, Thread, Verdict, of
from csro_web.reviews.sight import who_may_see
from csro_web.runs.models import Run

Place = tuple[int, int | None]
"""A person and a thread; no thread for the review as a whole."""
_RANK = {kind: place for place, kind in enumerate(InboxKind)}


def tell_of_review(review: Review, comments: Sequence[Comment]) -> list[User]:
    """One item a person and thread, and one about the review as a whole; whom it concerns."""
    run = review.run
    wanted: dict[Place, tuple[InboxKind, Comment | None]] = {}

    def want(person_id: int, kind: InboxKind, comment: Comment | None) -> None:
        place = (person_id, None if comment is None else comment.thread_id)
        if place not in wanted or _RANK[kind] < _RANK[wanted[place][0]]:
            wanted[place] = (kind, comment)

    named = _people_named([review.body, *(comment.body for comment in comments)])
    for person_id in _named_in(review.body, named):
        want(person_id, InboxKind.MENTION, None)
    about = InboxKind.REVIEW
    if review.verdict == Verdict.CHANGES_REQUESTED:
        about = InboxKind.CHANGES_REQUESTED
    for person_id in _people_of(review.program):
        want(person_id, about, None)
    taking_part = _taking_part({comment.thread_id for comment in comments})
    for comment in comments:
        for person_id in _named_in(comment.body, named):
            want(person_id, InboxKind.MENTION, comment)
        for person_id in taking_part.get(comment.thread_id, ()):
            want(person_id, InboxKind.REPLY, comment)

    people = who_may_see(run, {person_id for person_id, _ in wanted} - {review.author_id})
    InboxItem.objects.bulk_create(
        InboxItem(
            person_id=person_id,
            kind=kind,
            run=run,
            **of(review.program),
            actor=review.author,
            review=review,
            thread_id=thread_id,
            comment=comment,
        )
        for (person_id, thread_id), (kind, comment) in wanted.items()
        if person_id in people
    )
    return list(people.values())


def tell_asker(thread: Thread, program: Program, *, kind: InboxKind, actor: User) -> None:
    """Tell who opened the thread what was decided about it at ``program``."""
    for person in who_may_see(program.run, {thread.opened_by_id}).values():
        InboxItem.objects.create(
            person=person, kind=kind, run=program.run, actor=actor, thread=thread, **of(program)
        )


def _people_named(texts: Iterable[str]) -> dict[str, int]:
    """Names that the texts mention and somebody has, to that person's key. At most 1 query."""
    names = set().union(*(mentioned(text) for text in texts))
    if not names:
        return {}
    return dict(User.objects.filter(username__in=names).values_list("username", "pk"))


def _named_in(text: str, named: dict[str, int]) -> set[int]:
    return {named[name] for name in mentioned(text) if name in named}


def _people_of(program: Program) -> set[int]:
    """Who launched, wrote, edited or brought it."""
    run: Run = program.run
    launched = {run.launched_by_id} if run.launched_by_id else set()
    if isinstance(program, Policy):
        return launched | set(people_behind(program))
    return launched | set(answered(program))


def _taking_part(thread_ids: set[int]) -> dict[int, set[int]]:
    """Who wrote in these threads before: their openers and repliers. 1 query."""
    found: dict[int, set[int]] = {}
    published = Comment.objects.filter(thread__in=thread_ids, review__published_at__isnull=False)
    for thread_id, author_id in published.values_list("thread", "author").order_by():
        found.setdefault(thread_id, set()).add(author_id)
    return found
