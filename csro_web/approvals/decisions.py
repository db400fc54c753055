"""What approvers decide. Each is one transaction that holds the policy's standing from its start,
so whatever is checked stays true until it is written."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from csro_web.accounts.models import User
from csro_web.approvals import services, standings
from csro_web.approvals.conditions import Condition, conditions, independent, unmet
from csro_web.approvals.facts import Facts, gather
from csro_web.approvals.models import Approval, Standing, Transition
from csro_web.approvals.states import Event, State, move_from
from csro_web.policies.models import Policy
from csro_web.reviews.models import Verdict
from oracles.text import storable

LONGEST_REASON = 10_000
"""Characters of a statement or reason."""


class DecisionRefused(Exception):
    """Nothing was decided; the message says why. ``conditions`` are those that do not hold."""

    def __init__(self, message: str, conditions: Sequence[Condition] = ()) -> None:
        super().__init__(message)
        self.conditions = conditions


def approve(*, policy: Policy, person: User, seen_sha256: str, statement: str) -> Approval:
    """Vouch for the content whose hash the approver saw.

    Raises:
        DecisionRefused: when a condition does not hold at this very moment, the content is not what
            was seen, the statement is missing, or the policy is in a state that does not allow it.
    """
    words = _reason(statement, "say what you vouch for")
    services.notice_other_content(policy)
    with transaction.atomic():
        standing = standings.hold(policy)
        facts, person = _now(policy, person)
        _allowed(standing, Event.APPROVED)
        if seen_sha256 != facts.policy.sha256:
            raise DecisionRefused(
                "the program is not the one that you were shown: read it again before you decide"
            )
        missing = unmet(conditions(facts, person))
        result = facts.newest_result
        if missing or result is None:
            told = "; ".join(f"{one.words}: {one.why}" for one in missing)
            raise DecisionRefused(f"it cannot be approved now. {told}", missing)
        approval = Approval.objects.create(
            policy=facts.policy,
            sha256=seen_sha256,
            evaluated_sha256=result.sha256,
            approver=person,
            launched_by=facts.policy.run.launched_by,
            reevaluation=result,
            statement=words,
        )
        standings.move(
            standing,
            Event.APPROVED,
            policy=facts.policy,
            by=person,
            reason=words,
            approval=approval,
        )
    return approval


def reject(*, policy: Policy, person: User, reason: str) -> State:
    """Also open to people with a part in the policy: it lets nothing through.

    Raises:
        DecisionRefused: without a reason, or when it is rejected already.
    """
    return _move(policy, person, Event.REJECTED, reason)


def withdraw_approval(*, policy: Policy, person: User, reason: str) -> State:
    """Raises :class:`DecisionRefused` without a reason, or when the policy is not approved."""
    return _move(policy, person, Event.APPROVAL_WITHDRAWN, reason)


def take_up(*, policy: Policy, person: User, reason: str) -> State:
    """Back into review, over what others asked for or decided: only for independent people.

    Raises:
        DecisionRefused: without a reason, from another state, or for somebody with a part in it.
    """
    return _move(policy, person, Event.TAKEN_UP, reason, check_independence=True)


def request_changes(*, policy: Policy, person: User, reason: str) -> State:
    """As a review that requests changes does; raises :class:`DecisionRefused` without a reason."""
    words = _reason(reason, "say what has to change")
    with transaction.atomic():
        standing = standings.hold(policy)
        _allowed(standing, Event.CHANGES_REQUESTED)
        return services.review_published(
            policy=policy, person=person, verdict=Verdict.CHANGES_REQUESTED, reason=words
        )


def _move(
    policy: Policy, person: User, event: Event, reason: str, *, check_independence: bool = False
) -> State:
    words = _reason(reason, "say why")
    services.notice_other_content(policy)
    with transaction.atomic():
        standing = standings.hold(policy)
        facts, person = _now(policy, person)
        _allowed(standing, event)
        if check_independence and not (condition := independent(facts, person)).met:
            raise DecisionRefused(f"you may not: {condition.why}", [condition])
        kept: Transition | None = standings.move(
            standing, event, policy=facts.policy, by=person, reason=words
        )
        assert kept is not None
    return State(kept.after)


def _now(policy: Policy, person: User) -> tuple[Facts, User]:
    """Both as they are stored now, not as they were when the page was opened."""
    stored = Policy.objects.select_related("run__launched_by", "candidate__run").get(pk=policy.pk)
    return gather([stored])[0], User.objects.get(pk=person.pk)


def _allowed(standing: Standing, event: Event) -> None:
    state = State(standing.state)
    if move_from(state, event) is None:
        raise DecisionRefused(f"its state is “{state.label.lower()}” now, which does not allow it")


def _reason(text: str, what: str) -> str:
    words = str(storable(text)).strip()
    if not words:
        raise DecisionRefused(f"{what}: it is kept with the decision")
    if len(words) > LONGEST_REASON:
        raise DecisionRefused(f"at most {LONGEST_REASON:,} characters; these are {len(words):,}")
    return words
