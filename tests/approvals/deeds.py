"""What people do in these tests."""

from __future__ import annotations

from uuid import uuid4

from csro_web.accounts.models import User
from csro_web.approvals import decisions
from csro_web.approvals.conditions import conditions, unmet
from csro_web.approvals.facts import gather
from csro_web.approvals.models import Approval
from csro_web.changes.models import Change, ChangeKind
from csro_web.policies.models import Policy
from csro_web.reviews import drafts, publishing, seen
from csro_web.reviews.anchors import Lines
from csro_web.reviews.models import Thread, Verdict
from csro_web.reviews.selectors import threads_of
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
    """As from the page: a draft with one thread on line 1, published at once."""
    box = drafts.Selection(lines=Lines(1, 1))
    comment = drafts.open_thread(
        program=policy, person=person, key=uuid4(), selection=box, body="Why?"
    )
    publishing.publish(
        program=policy,
        person=person,
        key=uuid4(),
        body="",
        verdict=Verdict.COMMENT,
        mark=seen.mark(policy, threads_of(policy)),
    )
    return comment.thread
