"""What people do in these tests."""

from __future__ import annotations

from django.utils import timezone

from csro_web.accounts.models import User
from csro_web.approvals import decisions, services
from csro_web.approvals.conditions import conditions, unmet
from csro_web.approvals.facts import gather
from csro_web.approvals.models import Approval
from csro_web.changes.models import Change, ChangeKind
from csro_web.policies.models import Policy
from csro_web.reviews.models import Review, Thread
from csro_web.runs.models import Run


def approve(policy: Policy, person: User, **changes: str) -> Approval:
    values = {"seen_sha256": policy.sha256, "statement": "I read all of it.", **changes}
    return decisions.approve(policy=policy, person=person, **values)


def missing(policy: Policy, person: User) -> list[str]:
    return [one.name for one in unmet(conditions(gather([policy])[0], person))]


def commit(run: Run, policy: Policy, author: User, *, parent: Policy | None = None) -> Change:
    return Change.objects.create(
        run=run,
        number=run.changes.count() + 1,
        kind=ChangeKind.COMMIT,
        author=author,
        reason="tried something",
        policy=policy,
        parent=parent,
        source=policy.source,
        sha256=policy.sha256,
        origin=policy.origin,
    )


def open_thread(policy: Policy, person: User) -> Thread:
    review = Review.objects.create(
        policy=policy, sha256=policy.sha256, author=person, published_at=timezone.now()
    )
    thread = Thread.objects.create(
        policy=policy,
        sha256=policy.sha256,
        first_line=1,
        last_line=1,
        quote="x",
        opened_by=person,
        review=review,
    )
    services.thread_opened(policy, person)
    return thread
