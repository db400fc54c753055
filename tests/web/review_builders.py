"""Threads as a person's published review leaves them in the database."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from csro_web.accounts.models import User
from csro_web.policies.diff import split_lines
from csro_web.policies.models import Candidate, Policy
from csro_web.policies.programs import Program
from csro_web.reviews.models import Comment, Review, Thread, of


def add_thread(
    program: Program, author: User, *, first: int, last: int | None = None, **fields: Any
) -> Thread:
    """A thread with one comment, in a review of its own; a draft if ``published_at`` is None."""
    published_at = fields.pop("published_at", timezone.now())
    body = fields.pop("body", "Why is that so?")
    review = fields.pop("review", None) or Review.objects.create(
        **of(program),
        run=program.run,
        sha256=program.sha256,
        author=author,
        published_at=published_at,
    )
    last = last or first
    thread = Thread.objects.create(
        **of(program),
        run=program.run,
        sha256=program.sha256,
        first_line=first,
        last_line=last,
        quote="\n".join(split_lines(program.source)[first - 1 : last]),
        opened_by=author,
        review=review,
        **fields,
    )
    Comment.objects.create(thread=thread, author=author, body=body, review=review)
    return thread


def refine(policy: Policy, source: str, *, name: str) -> Policy:
    """A later refinement of the policy's candidate that joined the population too."""
    from tests.web import builders

    run = policy.run
    attempt = run.candidates.count()
    if policy.candidate is None:
        policy.candidate = builders.add_candidate(run, 1, attempt, source=policy.source)
        policy.save()
    between = builders.add_candidate(run, 1, attempt + 1, parent=policy.candidate, source=source)
    candidate: Candidate = builders.add_candidate(
        run, 1, attempt + 2, parent=between, source=source
    )
    return builders.add_policy(run, source, name=name, origin="refined", candidate=candidate)
