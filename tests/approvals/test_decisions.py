"""Who may approve what, and what stands in the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from csro_web.accounts.models import Role, User
from csro_web.answers.models import Answer
from csro_web.approvals import decisions, selectors
from csro_web.approvals.decisions import DecisionRefused
from csro_web.approvals.models import Approval, Standing
from csro_web.approvals.states import State
from csro_web.audit.models import AuditEvent
from csro_web.policies.models import Origin, Policy
from csro_web.reviews.models import Thread
from csro_web.runs.models import Run, Step, StepState
from games.players import source_sha256
from tests.approvals.conftest import COPIES, with_result
from tests.approvals.deeds import approve, commit, missing, open_thread
from tests.web.builders import FIRST, add_candidate, add_policy

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_own_key")]
Someone = Callable[..., User]


def test_an_independent_approver_approves_what_meets_all_conditions(
    evaluated: Policy, approver: User
) -> None:
    assert missing(evaluated, approver) == []
    approval = approve(evaluated, approver)
    assert (approval.sha256, approval.approver) == (evaluated.sha256, approver)
    assert selectors.standing_of(evaluated).approval == approval
    assert selectors.standings([evaluated]) == {evaluated.pk: State.APPROVED}
    assert selectors.approved(evaluated.run) == [evaluated]
    event = AuditEvent.objects.get(action="policy.approved")
    assert (event.actor, event.detail["sha256"]) == (approver, evaluated.sha256)
    assert event.detail["reason"] == "I read all of it."


def test_what_was_decided_keeps_its_policy_and_run_from_being_deleted(
    evaluated: Policy, approver: User
) -> None:
    approval = approve(evaluated, approver)
    decisions.withdraw_approval(policy=evaluated, person=approver, reason="a second thought")
    for row in (evaluated, evaluated.run, approver):
        with pytest.raises(ProtectedError):
            row.delete()
    assert Approval.objects.get() == approval
    assert evaluated.transitions.count() == 2


@pytest.fixture
def people_with_a_part(
    evaluated: Policy, launcher: User, someone: Someone
) -> tuple[Policy, dict[str, User]]:
    """A policy that was answered by hand, edited, edited again and brought elsewhere, all by
    approvers."""
    run = evaluated.run
    people = {
        name: someone(name, Role.APPROVER)
        for name in ("answerer", "first editor", "last editor", "importer")
    }
    Run.objects.filter(pk=run.pk).update(writer="manual")
    run.refresh_from_db()
    candidate = add_candidate(run, 1, 1)
    step = Step.objects.create(
        run=run,
        key=f"{candidate.key}/write",
        kind="write",
        order=1,
        state=StepState.DONE,
        result={},
    )
    Answer.objects.create(step=step, person=people["answerer"], sent_at=timezone.now())
    written = add_policy(run, candidate.source, name="by hand", candidate=candidate)
    once = add_policy(run, FIRST + "\nA = 1\n", name="once", origin=Origin.EDITED)
    twice = add_policy(run, FIRST + "\nA = 2\n", name="twice", origin=Origin.EDITED)
    commit(run, once, people["first editor"], parent=written)
    commit(run, twice, people["last editor"], parent=once)
    elsewhere = add_policy(run, twice.source, name="again", origin=Origin.IMPORTED)
    commit(run, elsewhere, people["importer"])
    Run.objects.filter(pk=run.pk).update(launched_by=launcher)
    User.objects.filter(pk=launcher.pk).update(role=Role.APPROVER)
    launcher.refresh_from_db()
    return with_result(twice), {"launcher": launcher, **people}


PARTS = {
    "launcher": "launched its run",
    "answerer": "answered in the writer's place for an ancestor of it",
    "first editor": "edited an ancestor of it",
    "last editor": "edited it",
    "importer": "imported it",
}


@pytest.mark.parametrize("role", [Role.APPROVER, Role.ADMINISTRATOR, "superuser"])
@pytest.mark.parametrize("part", PARTS)
def test_nobody_with_a_part_in_it_approves_whatever_their_role(
    people_with_a_part: tuple[Policy, dict[str, User]], part: str, role: str
) -> None:
    """Elsewhere only the author is kept out, so that whoever adds a commit approves their own
    (MicrosoftDocs/azure-devops-docs 1198, go-gitea/gitea 7072)."""
    policy, people = people_with_a_part
    person = people[part]
    superuser = role == "superuser"
    person.role, person.is_superuser = Role.ADMINISTRATOR if superuser else role, superuser
    person.save()
    with pytest.raises(DecisionRefused, match=PARTS[part]) as refused:
        approve(policy, person)
    assert [one.name for one in refused.value.conditions] == ["independent"]
    assert not Approval.objects.exists()
    assert not AuditEvent.objects.filter(action="policy.approved").exists()


def test_somebody_else_still_approves_it(
    people_with_a_part: tuple[Policy, dict[str, User]], approver: User
) -> None:
    assert approve(people_with_a_part[0], approver).approver == approver


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER, Role.OPERATOR])
def test_being_a_superuser_does_not_replace_the_role(
    evaluated: Policy, someone: Someone, role: Role
) -> None:
    with pytest.raises(DecisionRefused, match="your role may not"):
        approve(evaluated, someone("root", role, is_superuser=True))


def test_a_role_that_was_taken_away_meanwhile_counts_no_more(
    evaluated: Policy, approver: User
) -> None:
    User.objects.filter(pk=approver.pk).update(role=Role.REVIEWER)
    with pytest.raises(DecisionRefused, match="your role may not"):
        approve(evaluated, approver)


def test_another_content_than_the_one_on_the_approvers_screen_is_refused(
    evaluated: Policy, approver: User
) -> None:
    with pytest.raises(DecisionRefused, match="read it again"):
        approve(evaluated, approver, seen_sha256=source_sha256(COPIES))
    with pytest.raises(DecisionRefused, match="read it again"):
        approve(evaluated, approver, seen_sha256="")


@pytest.mark.parametrize("statement", ["", "  \n\t"])
def test_an_approval_needs_words(evaluated: Policy, approver: User, statement: str) -> None:
    with pytest.raises(DecisionRefused, match="say what you vouch for"):
        approve(evaluated, approver, statement=statement)


@pytest.mark.parametrize(
    ("fields", "name", "words"),
    [
        ({"engine_version": "0"}, "reevaluated", "engine version 0"),
        ({"sandbox_level": "process"}, "reevaluated", "sandbox level process"),
        ({"episodes": 1}, "reevaluated", "1 episodes"),
        ({"sha256": "0" * 64}, "reevaluated", "Nobody has asked"),
        ({"faults": {"timeout": 3}}, "faults", "timeout: 3"),
        (
            {"found": None, "done_at": None, "engine_version": ""},
            "reevaluated",
            "No re-evaluation has given a result",
        ),
    ],
)
def test_what_a_re_evaluation_lacks_is_said_and_stands_in_the_way(
    policy: Policy, approver: User, fields: dict[str, Any], name: str, words: str
) -> None:
    with_result(policy, **fields)
    assert name in missing(policy, approver)
    with pytest.raises(DecisionRefused, match=words):
        approve(policy, approver)


def test_a_fault_is_not_forgotten_by_a_luckier_repeat(evaluated: Policy, approver: User) -> None:
    evaluated.reevaluations.update(faults={"timeout": 1})
    with_result(evaluated)
    assert missing(evaluated, approver) == ["faults"]


def test_bots_black_boxes_and_withdrawn_policies_are_never_approved(
    run: Run, evaluated: Policy, approver: User
) -> None:
    bot = add_policy(run, "", name="rockbot", origin=Origin.BOT)
    network = add_policy(run, COPIES + "#", name="network", origin=Origin.TRAINED)
    for refused in (bot, network):
        with pytest.raises(DecisionRefused, match="People can read"):
            approve(refused, approver)
    Policy.objects.filter(pk=evaluated.pk).update(withdrawn_by=1)
    with pytest.raises(DecisionRefused, match="taken out"):
        approve(evaluated, approver)


def test_an_open_thread_stands_in_the_way_also_one_on_an_earlier_version(
    run: Run, evaluated: Policy, approver: User, someone: Someone
) -> None:
    ada = someone("ada")
    edit = add_policy(run, FIRST + "\nB = 1\n", name="edit", origin=Origin.EDITED)
    commit(run, edit, ada, parent=evaluated)
    thread = open_thread(evaluated, ada)
    assert missing(evaluated, approver) == ["threads"]
    assert missing(with_result(edit), approver) == ["threads"]
    resolved = {"resolved_by": ada, "resolved_at": timezone.now()}
    Thread.objects.filter(pk=thread.pk).update(
        state="resolved", wants_confirmation=True, **resolved
    )
    assert missing(evaluated, approver) == ["threads"]
    Thread.objects.filter(pk=thread.pk).update(wants_confirmation=False)
    assert missing(evaluated, approver) == []
    approve(edit, approver)


def test_rejecting_is_open_to_people_with_a_part_and_needs_a_reason(
    evaluated: Policy, launcher: User, approver: User
) -> None:
    with pytest.raises(DecisionRefused, match="say why"):
        decisions.reject(policy=evaluated, person=launcher, reason=" ")
    decisions.reject(policy=evaluated, person=launcher, reason="I launched it with a wrong seed.")
    assert selectors.standing_of(evaluated).state is State.REJECTED
    with pytest.raises(DecisionRefused, match="rejected"):
        approve(evaluated, approver)


def test_only_independent_people_take_up_what_others_refused(
    evaluated: Policy, launcher: User, approver: User
) -> None:
    decisions.reject(policy=evaluated, person=approver, reason="It stalls.")
    with pytest.raises(DecisionRefused, match="launched its run"):
        decisions.take_up(policy=evaluated, person=launcher, reason="I disagree.")
    decisions.take_up(policy=evaluated, person=approver, reason="I was wrong.")
    assert approve(evaluated, approver).approver == approver


def test_the_database_itself_refuses_what_no_service_would_write(
    evaluated: Policy, approver: User, launcher: User
) -> None:
    result = evaluated.reevaluations.get()
    good = {
        "policy": evaluated,
        "sha256": evaluated.sha256,
        "evaluated_sha256": evaluated.sha256,
        "approver": approver,
        "launched_by": launcher,
        "reevaluation": result,
        "statement": "read",
    }
    for wrong in (
        {"evaluated_sha256": "0" * 64},
        {"approver": launcher},
        {"statement": ""},
        {"lapse_reason": "no time"},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            Approval.objects.create(**{**good, **wrong})
    first = Approval.objects.create(**good)
    with pytest.raises(IntegrityError), transaction.atomic():
        Approval.objects.create(**good)
    with pytest.raises(IntegrityError), transaction.atomic():
        Standing.objects.update_or_create(
            policy=evaluated, defaults={"state": State.IN_REVIEW, "approval": first}
        )
