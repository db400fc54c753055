"""What an approval binds to, and what lets it lapse."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from csro_web.accounts.models import User
from csro_web.approvals import decisions, selectors, services
from csro_web.approvals.decisions import DecisionRefused
from csro_web.approvals.models import Approval, Transition
from csro_web.approvals.states import State
from csro_web.audit.models import AuditEvent
from csro_web.policies.models import Origin, Policy
from csro_web.reviews.models import Thread
from csro_web.runs.models import Run
from games.players import source_sha256
from tests.approvals.conftest import COPIES, with_result
from tests.approvals.deeds import approve, commit, missing, open_thread
from tests.web.builders import FIRST, add_policy

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_own_key")]
Someone = Callable[..., User]


def test_a_new_thread_lets_the_approval_lapse_also_that_of_a_later_version(
    run: Run, evaluated: Policy, approver: User, someone: Someone
) -> None:
    """A later version to which the thread is carried would otherwise stay approved with it open."""
    ada = someone("ada")
    edit = add_policy(run, FIRST + "\nB = 1\n", name="edit", origin=Origin.EDITED)
    commit(run, edit, ada, parent=evaluated)
    approve(evaluated, approver)
    approve(with_result(edit), approver)
    open_thread(evaluated, ada)
    states = selectors.standings([evaluated, edit])
    assert states == {evaluated.pk: State.IN_REVIEW, edit.pk: State.IN_REVIEW}
    lapsed = Approval.objects.get(policy=edit)
    assert lapsed.lapsed_at is not None
    assert "thread was opened" in lapsed.lapse_reason
    assert selectors.approved(run) == []
    assert AuditEvent.objects.filter(action="approval.lapsed", actor=ada).count() == 2


def test_an_approval_that_lapsed_does_not_come_back_with_the_state(
    evaluated: Policy, approver: User, someone: Someone
) -> None:
    """Gerrit and GitLab had votes that came back by themselves; here one has to decide again."""
    first = approve(evaluated, approver)
    thread = open_thread(evaluated, someone("ada"))
    Thread.objects.filter(pk=thread.pk).delete()
    assert selectors.standing_of(evaluated).state is State.IN_REVIEW
    assert selectors.approved(evaluated.run) == []
    second = approve(evaluated, approver)
    assert second != first
    assert Approval.objects.filter(policy=evaluated).count() == 2


def test_an_edit_does_not_inherit_an_approval(
    run: Run, evaluated: Policy, approver: User, someone: Someone
) -> None:
    """As stale approvals that outlive a push, or votes that are copied to the next patch set."""
    approve(evaluated, approver)
    edit = add_policy(run, FIRST + "\nC = 1\n", name="edit", origin=Origin.EDITED)
    commit(run, edit, someone("ada"), parent=evaluated)
    assert selectors.standings([evaluated, edit])[edit.pk] is State.UNREVIEWED
    assert selectors.approved(run) == [evaluated]


@pytest.mark.parametrize("column", ["source", "sha256"])
def test_a_program_that_is_changed_behind_our_back_is_not_approved_any_more(
    evaluated: Policy, approver: User, column: str
) -> None:
    """As approvals that a force-push binds to a new head (kamp-us/phoenix 3769): what was
    approved is a content, not a row."""
    approve(evaluated, approver)
    other = {"source": COPIES, "sha256": source_sha256(COPIES)}
    Policy.objects.filter(pk=evaluated.pk).update(**{column: other[column]})
    changed = Policy.objects.get(pk=evaluated.pk)
    assert selectors.standing_of(changed).lapsed == "the stored program is not the approved one"
    assert selectors.standings([changed]) == {changed.pk: State.IN_REVIEW}
    assert selectors.approved(changed.run) == []
    assert "content" in missing(changed, approver)
    assert services.notice_other_content(changed) is True
    assert services.notice_other_content(changed) is False
    assert AuditEvent.objects.filter(action="approval.lapsed", actor=None).count() == 1
    Policy.objects.filter(pk=evaluated.pk).update(source=FIRST, sha256=source_sha256(FIRST))
    assert selectors.approved(evaluated.run) == []


def test_both_columns_changed_together_is_another_content(
    evaluated: Policy, approver: User
) -> None:
    approve(evaluated, approver)
    Policy.objects.filter(pk=evaluated.pk).update(source=COPIES, sha256=source_sha256(COPIES))
    changed = Policy.objects.get(pk=evaluated.pk)
    assert selectors.approved(changed.run) == []
    assert missing(changed, approver) == ["reevaluated", "faults"]


def test_taking_a_policy_out_of_its_population_lets_the_approval_lapse(
    evaluated: Policy, approver: User
) -> None:
    approve(evaluated, approver)
    services.policy_withdrawn(evaluated, approver, reason="it stalls")
    assert selectors.standing_of(evaluated).state is State.IN_REVIEW
    assert "it stalls" in Approval.objects.get().lapse_reason


def test_a_request_for_changes_lets_the_approval_lapse(
    evaluated: Policy, approver: User, someone: Someone
) -> None:
    approve(evaluated, approver)
    ada = someone("ada")
    decisions.request_changes(policy=evaluated, person=ada, reason="The fallback is wrong.")
    assert selectors.standing_of(evaluated).state is State.CHANGES_REQUESTED
    with pytest.raises(DecisionRefused, match="changes requested"):
        approve(evaluated, approver)


def test_an_approver_takes_an_approval_back(evaluated: Policy, approver: User) -> None:
    approve(evaluated, approver)
    decisions.withdraw_approval(policy=evaluated, person=approver, reason="I misread line 9.")
    assert "misread" in Approval.objects.get().lapse_reason
    kept = Transition.objects.filter(policy=evaluated).first()
    assert kept is not None
    assert (kept.before, kept.after) == (State.APPROVED, State.IN_REVIEW)


def test_taking_one_approval_back_revives_no_earlier_one(evaluated: Policy, approver: User) -> None:
    """A gate that reads the newest review that still counts lets an older one in again (as told in
    sipyourdrink-ltd/bernstein 6015)."""
    for _ in range(2):
        approve(evaluated, approver)
        decisions.withdraw_approval(policy=evaluated, person=approver, reason="I misread it.")
        assert selectors.standing_of(evaluated).state is State.IN_REVIEW
        assert selectors.approved(evaluated.run) == []
    assert Approval.objects.filter(policy=evaluated, lapsed_at=None).count() == 0
