"""Who may approve what, what an approval binds to, and what lets it lapse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from csro_web.accounts.models import Role, User
from csro_web.answers.models import Answer
from csro_web.approvals import decisions, selectors, services
from csro_web.approvals.conditions import conditions, unmet
from csro_web.approvals.decisions import DecisionRefused
from csro_web.approvals.facts import gather
from csro_web.approvals.models import Approval, Standing, Transition
from csro_web.approvals.states import State
from csro_web.audit.models import AuditEvent
from csro_web.changes.models import Change, ChangeKind
from csro_web.policies.models import Origin, Policy
from csro_web.reviews.models import Review, Thread
from csro_web.runs.models import Run, Step, StepState
from games.players import source_sha256
from tests.approvals.conftest import COPIES, with_result
from tests.web.builders import FIRST, add_candidate, add_policy

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_own_key")]
Someone = Callable[..., User]


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
    assert "earlier version" in lapsed.lapse_reason
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
    """As approvals that outlive a force-push: what was approved is a content, not a row."""
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


def test_an_approver_takes_an_approval_back(evaluated: Policy, approver: User) -> None:
    approve(evaluated, approver)
    decisions.withdraw_approval(policy=evaluated, person=approver, reason="I misread line 9.")
    assert "misread" in Approval.objects.get().lapse_reason
    kept = Transition.objects.filter(policy=evaluated).first()
    assert kept is not None
    assert (kept.before, kept.after) == (State.APPROVED, State.IN_REVIEW)


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
