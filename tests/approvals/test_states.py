"""The table of states is whole, documented, and followed by every service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from csro_web.accounts.models import Role, User
from csro_web.accounts.permissions import TABLE as RIGHTS
from csro_web.approvals import selectors, services, standings
from csro_web.approvals.models import Standing, Transition
from csro_web.approvals.states import TABLE, Event, State, as_markdown, move_from
from csro_web.audit.models import AuditEvent
from csro_web.policies.models import Policy
from tests.web.builders import FIRST, add_policy, make_run

PAGE = Path(__file__).parents[2] / "docs/reference/approval-states.md"


@pytest.fixture
def policy(db: None) -> Policy:
    return add_policy(make_run(state="finished"), FIRST, name="counts habits")


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada", role=Role.REVIEWER)


@pytest.fixture
def grace(db: None) -> User:
    return User.objects.create_user("grace", role=Role.REVIEWER)


def publish(policy: Policy, person: User, verdict: str, **more: Any) -> State:
    return services.review_published(policy=policy, person=person, verdict=verdict, **more)


def test_the_reference_page_is_made_from_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == as_markdown()


def test_every_pair_of_state_and_event_has_one_move_at_most_and_names_a_known_right() -> None:
    pairs = [(move.before, move.event) for move in TABLE]
    assert len(pairs) == len(set(pairs))
    assert all(not move.right or move.right in RIGHTS for move in TABLE)
    assert {move.event for move in TABLE} == set(Event)


def test_only_an_approver_leads_into_approved() -> None:
    into = {move.event: move.right for move in TABLE if move.after is State.APPROVED}
    assert into == {Event.APPROVED: "approvals.decide"}
    assert move_from(State.REJECTED, Event.APPROVED) is None
    assert move_from(State.CHANGES_REQUESTED, Event.APPROVED) is None


def test_a_policy_without_a_row_is_unreviewed(policy: Policy) -> None:
    assert selectors.standing_of(policy).state is State.UNREVIEWED
    assert selectors.standings([policy]) == {policy.pk: State.UNREVIEWED}
    assert not Standing.objects.exists()


@pytest.mark.parametrize("verdict", ["comment", "looks_good"])
def test_the_first_review_brings_a_policy_into_review(
    policy: Policy, ada: User, verdict: str
) -> None:
    assert publish(policy, ada, verdict) is State.IN_REVIEW
    assert publish(policy, ada, verdict) is State.IN_REVIEW
    moves = [(m.before, m.after, m.by) for m in Transition.objects.filter(policy=policy)]
    assert moves == [(State.UNREVIEWED, State.IN_REVIEW, ada)]
    event = AuditEvent.objects.get(action="policy.state_moved")
    assert (event.actor, event.detail["to"], event.run_id) == (ada, "in_review", policy.run_id)


def test_an_unknown_verdict_is_an_error_and_moves_nothing(policy: Policy, ada: User) -> None:
    with pytest.raises(ValueError, match="approve_everything"):
        publish(policy, ada, "approve_everything")
    assert not Transition.objects.exists()


def test_a_request_for_changes_is_lifted_only_by_all_who_made_one(
    policy: Policy, ada: User, grace: User
) -> None:
    eve = User.objects.create_user("eve", role=Role.REVIEWER)
    assert publish(policy, ada, "changes_requested", reason="It loops.") is State.CHANGES_REQUESTED
    assert publish(policy, grace, "changes_requested") is State.CHANGES_REQUESTED
    assert publish(policy, eve, "looks_good") is State.CHANGES_REQUESTED
    assert publish(policy, ada, "comment") is State.CHANGES_REQUESTED
    assert publish(policy, ada, "looks_good") is State.CHANGES_REQUESTED
    assert publish(policy, ada, "looks_good") is State.CHANGES_REQUESTED
    assert publish(policy, grace, "looks_good") is State.IN_REVIEW


def test_an_earlier_round_of_requests_counts_no_more(
    policy: Policy, ada: User, grace: User
) -> None:
    publish(policy, ada, "changes_requested")
    publish(policy, ada, "looks_good")
    publish(policy, grace, "changes_requested")
    assert publish(policy, grace, "looks_good") is State.IN_REVIEW


def test_the_database_refuses_a_policy_that_is_approved_without_an_approval(
    policy: Policy,
) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Standing.objects.create(policy=policy, state=State.APPROVED)
    with pytest.raises(IntegrityError), transaction.atomic():
        Standing.objects.create(policy=policy, state="waved_through")


def test_nobody_moves_a_standing_that_was_moved_since_it_was_read(
    policy: Policy, ada: User
) -> None:
    with transaction.atomic():
        seen = standings.hold(policy)
        standings.hold(policy)
        with pytest.raises(standings.StandingMoved):
            standings.move(seen, Event.COMMENTED, policy=policy, by=ada)
