"""What reviews, threads and withdrawals mean for an approval. Decisions of approvers are in
:mod:`csro_web.approvals.decisions`."""

from __future__ import annotations

from django.db import transaction

from csro_web.accounts.models import User
from csro_web.approvals import standings
from csro_web.approvals.models import Standing, Transition
from csro_web.approvals.selectors import has_approved_content
from csro_web.approvals.states import Event, State
from csro_web.policies.models import Policy
from csro_web.reviews.models import Verdict

_EVENTS = {
    Verdict.COMMENT: Event.COMMENTED,
    Verdict.LOOKS_GOOD: Event.LOOKS_GOOD,
    Verdict.CHANGES_REQUESTED: Event.CHANGES_REQUESTED,
}


@transaction.atomic
def review_published(*, policy: Policy, person: User, verdict: str, reason: str = "") -> State:
    """Inside the transaction that publishes a review; the state after it.

    A request for changes stays until everybody who made one says that it looks good, or an approver
    takes the policy up again. Any request lets a current approval lapse.

    Raises:
        ValueError: on an unknown verdict.
    """
    event = _EVENTS[Verdict(verdict)]
    standing = standings.hold(policy)
    before = State(standing.state)
    if event is Event.LOOKS_GOOD and before is State.CHANGES_REQUESTED:
        asking = _who_asks_for_changes(standing)
        if person.pk not in asking:
            return before
        if asking - {person.pk}:
            standings.keep(standing, event, before=before, by=person, reason=reason)
            return before
    standings.move(standing, event, policy=policy, by=person, reason=reason)
    return State(standing.state)


@transaction.atomic
def thread_opened(policy: Policy, person: User) -> State:
    """Inside the transaction that publishes an open thread, or opens one again, for each version
    that it is carried to.

    A current approval lapses. Even where no state changes, nobody can approve at this very moment
    without seeing the thread: an approval waits for this transaction, or is met by it.
    """
    standing = standings.hold(policy)
    standings.move(standing, Event.THREAD_OPENED, policy=policy, by=person)
    return State(standing.state)


@transaction.atomic
def notice_other_content(policy: Policy) -> bool:
    """Let an approval lapse whose content the database does not hold any more; whether it did."""
    standing = Standing.objects.select_related("approval", "policy").filter(policy=policy).first()
    if standing is None or standing.approval is None:
        return False
    if has_approved_content(standing.policy, standing.approval):
        return False
    held = standings.hold(policy)
    moved = standings.move(held, Event.CONTENT_DIFFERS, policy=standing.policy, by=None)
    return moved is not None


@transaction.atomic
def policy_withdrawn(policy: Policy, person: User | None, reason: str = "") -> State:
    """Call in the transaction that takes the policy out of its population: approvals lapse."""
    standing = standings.hold(policy)
    standings.move(standing, Event.POLICY_WITHDRAWN, policy=policy, by=person, reason=reason)
    return State(standing.state)


def _who_asks_for_changes(standing: Standing) -> set[int]:
    """Those who asked since changes were last requested, without those who were satisfied later."""
    asking: set[int] = set()
    since = Transition.objects.filter(policy_id=standing.policy_id, after=State.CHANGES_REQUESTED)
    entered = since.exclude(before=State.CHANGES_REQUESTED).order_by("-id").first()
    if entered is None:
        return asking
    for kept in since.filter(id__gte=entered.pk).order_by("id"):
        if kept.by_id is None:
            continue
        if kept.event == Event.CHANGES_REQUESTED:
            asking.add(kept.by_id)
        elif kept.event == Event.LOOKS_GOOD:
            asking.discard(kept.by_id)
    return asking
