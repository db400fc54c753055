"""Two windows, or two people, at the same moment: one review, one decision, no word lost.

Runs on the database of the session: ``python -m tests.services ./csro test`` makes it PostgreSQL.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from csro_web.accounts.models import Role, User
from csro_web.audit.models import AuditEvent
from csro_web.policies.models import Policy
from csro_web.reviews import drafts, publishing, resolving
from csro_web.reviews.anchors import Lines
from csro_web.reviews.errors import ReviewError
from csro_web.reviews.models import Comment, Decision, Review, Thread, Verdict
from tests.together import at_once
from tests.web import builders
from tests.web.review_builders import add_thread, refine

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 5
PLACE = drafts.Selection(Lines(10, 10))


@pytest.fixture
def policy() -> Policy:
    return builders.add_policy(builders.make_run(), builders.FIRST, name="first")


def keep(policy: Policy, person: User, body: str, key: Any = None) -> Comment:
    return drafts.open_thread(
        program=policy, person=person, key=key or uuid4(), selection=PLACE, body=body
    )


def publish(policy: Policy, person: User, key: Any) -> Review:
    return publishing.publish(
        program=policy, person=person, key=key, body="All.", verdict=Verdict.COMMENT, mark=""
    )


def test_one_form_that_arrives_three_times_at_once_publishes_one_review(
    policy: Policy, person: Any
) -> None:
    reviewer = person(Role.REVIEWER)
    for number in range(1, ROUNDS + 1):
        keep(policy, reviewer, "Why?")
        key = uuid4()
        results = at_once(*[lambda key=key: publish(policy, reviewer, key)] * 3)
        assert {one.pk for one in results} == {Review.objects.get(key=key).pk}
        assert Review.objects.filter(published_at__isnull=False).count() == number
        assert not Review.objects.filter(published_at__isnull=True, body="All.").exists()
    assert AuditEvent.objects.filter(action="review.published").count() == ROUNDS


def test_a_draft_that_is_kept_while_another_window_publishes_is_in_one_review_or_still_a_draft(
    policy: Policy, person: Any
) -> None:
    reviewer = person(Role.REVIEWER)
    for number in range(ROUNDS):
        keep(policy, reviewer, "First")
        at_once(
            lambda: publish(policy, reviewer, uuid4()),
            lambda number=number: keep(policy, reviewer, f"Late {number}"),
        )
        late = Comment.objects.select_related("review").get(body=f"Late {number}")
        recorded = AuditEvent.objects.filter(action="review.published").first()
        listed = late.pk in [one["comment"] for one in recorded.detail["comments"]]
        assert listed is not late.review.is_draft, "published means: published as part of a review"


def test_one_box_that_is_kept_five_times_at_once_is_one_comment(
    policy: Policy, person: Any
) -> None:
    reviewer, key = person(Role.REVIEWER), uuid4()
    works = [lambda n=n: keep(policy, reviewer, f"text {n}", key) for n in range(5)]
    at_once(*works)
    assert Comment.objects.get().body.startswith("text")
    assert Thread.objects.count() == Review.objects.count() == 1


def test_of_two_people_who_resolve_at_a_later_version_one_does(policy: Policy, person: Any) -> None:
    later = refine(policy, builders.refined(builders.FIRST, 1), name="later")
    people = [person(Role.OPERATOR), person(Role.APPROVER)]
    for _ in range(ROUNDS):
        thread = add_thread(policy, person(Role.REVIEWER), first=10)
        mark = f"m,{thread.pk}:{thread.comments.get().pk}:open"
        works = [
            lambda one=one, thread=thread, mark=mark: resolving.resolve(
                thread=thread, program=later, person=one, mark=mark
            )
            for one in people
        ]
        refused = [one for one in at_once(*works) if isinstance(one, ReviewError)]
        assert len(refused) == 1
        assert Decision.objects.filter(thread=thread).count() == 1
    assert AuditEvent.objects.filter(action="thread.resolved").count() == ROUNDS
