"""A copy of a program, in another run or with another comment, is no way around a decision."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from csro_web.accounts.models import User
from csro_web.approvals import decisions
from csro_web.approvals.decisions import DecisionRefused
from csro_web.approvals.models import Reevaluation
from csro_web.approvals.states import State
from csro_web.policies.models import Policy
from csro_web.runs.models import RunState
from tests.approvals.conftest import with_result
from tests.approvals.deeds import approve, missing
from tests.web.builders import FIRST, add_policy, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_own_key")]


@pytest.fixture
def copy() -> Policy:
    """In another run, with a comment more."""
    return with_result(
        add_policy(make_run(state=RunState.FINISHED), f"# mine\n{FIRST}", name="the same elsewhere")
    )


def test_faults_count_for_every_copy(evaluated: Policy, copy: Policy, approver: User) -> None:
    assert missing(copy, approver) == []
    Reevaluation.objects.filter(policy=evaluated).update(faults={"timeout": 2})
    assert missing(copy, approver) == ["faults"]
    with pytest.raises(DecisionRefused, match="forfeited decisions"):
        approve(copy, approver)


def test_a_rejected_program_is_not_approved_as_a_copy_until_it_is_taken_up_again(
    evaluated: Policy, copy: Policy, approver: User, someone: Callable[..., User]
) -> None:
    decisions.reject(policy=evaluated, person=approver, reason="It cheats.")
    assert missing(copy, approver) == ["twins"]
    words = f"rejected as policy {evaluated.pk} of run {evaluated.run_id}"
    with pytest.raises(DecisionRefused, match=words):
        approve(copy, approver)
    assert (
        decisions.take_up(policy=evaluated, person=approver, reason="I erred.") is State.IN_REVIEW
    )
    approve(copy, approver)
