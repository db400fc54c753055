"""Whatever happens at the same moment: nothing is approved twice, or past an open thread.

Runs on the database of the session: ``python -m tests.services ./csro test`` makes it PostgreSQL.
"""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import transaction

from csro_web.accounts.models import Role, User
from csro_web.approvals import decisions, reevaluations, selectors
from csro_web.approvals.decisions import DecisionRefused
from csro_web.approvals.models import Approval, Reevaluation, Transition
from csro_web.approvals.states import State
from csro_web.policies.models import Policy
from csro_web.reviews.models import Thread
from tests.approvals.deeds import approve, open_thread
from tests.together import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("_own_key")]
ROUNDS = 6


def test_of_two_approvers_at_once_one_approves(evaluated: Policy, someone: Any) -> None:
    ada, eve = someone("ada", Role.APPROVER), someone("eve", Role.APPROVER)
    for _ in range(ROUNDS):
        results = at_once(lambda: approve(evaluated, ada), lambda: approve(evaluated, eve))
        given = [one for one in results if isinstance(one, Approval)]
        refused = [one for one in results if isinstance(one, DecisionRefused)]
        assert (len(given), len(refused)) == (1, 1)
        assert "approved" in str(refused[0])
        assert Approval.objects.filter(policy=evaluated, lapsed_at=None).get() == given[0]
        decisions.withdraw_approval(policy=evaluated, person=ada, reason="once more")


def test_no_approval_survives_a_thread_that_is_opened_at_the_same_moment(
    evaluated: Policy, approver: User, someone: Any
) -> None:
    ada = someone("ada")

    def publish() -> Thread:
        with transaction.atomic():
            return open_thread(evaluated, ada)

    for _ in range(ROUNDS):
        results = at_once(lambda: approve(evaluated, approver), publish)
        assert isinstance(results[1], Thread)
        assert selectors.standing_of(evaluated).state is State.IN_REVIEW
        assert not Approval.objects.filter(lapsed_at=None).exists()
        Thread.objects.all().delete()
        evaluated.reviews.all().delete()


def test_an_approval_waits_for_a_thread_whose_transaction_has_not_ended(
    evaluated: Policy, approver: User, someone: Any
) -> None:
    """The one that was begun first: the thread is written, and committed only after the approver
    has pressed. Without the standing's row the approval would not see it."""
    ada = someone("ada")
    written, go_on = threading.Event(), threading.Event()

    def publish() -> None:
        with transaction.atomic():
            open_thread(evaluated, ada)
            written.set()
            go_on.wait(timeout=0.5)

    def decide() -> Approval:
        written.wait(timeout=10)
        return approve(evaluated, approver)

    results = at_once(publish, decide)
    assert isinstance(results[1], DecisionRefused)
    assert "One thread is open" in str(results[1])
    assert not Approval.objects.exists()


def test_rejecting_and_approving_at_once_leaves_one_story(
    evaluated: Policy, approver: User, someone: Any
) -> None:
    ada = someone("ada", Role.APPROVER)
    results = at_once(
        lambda: approve(evaluated, approver),
        lambda: decisions.reject(policy=evaluated, person=ada, reason="no"),
    )
    assert results[1] == State.REJECTED
    assert selectors.standing_of(evaluated).state is State.REJECTED
    assert not Approval.objects.filter(lapsed_at=None).exists()
    kept = [(one.before, one.after) for one in Transition.objects.order_by("id")]
    assert kept in (
        [("unreviewed", "rejected")],
        [("unreviewed", "approved"), ("approved", "rejected")],
    )


def test_of_two_who_ask_for_a_re_evaluation_at_once_one_gets_it(policy: Policy) -> None:
    ask = lambda: reevaluations.ask(policy=Policy.objects.get(pk=policy.pk), person=None)  # noqa: E731
    results = at_once(ask, ask)
    assert sorted(type(one).__name__ for one in results) == ["CannotReevaluate", "Reevaluation"]
    assert Reevaluation.objects.count() == 1
