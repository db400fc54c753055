"""The approval page, its forms and the list, as people of every role meet them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from csro_web.accounts.models import Role, Team, User
from csro_web.approvals import decisions, reevaluations, selectors
from csro_web.approvals.models import Approval, Reevaluation, Transition
from csro_web.approvals.states import State
from csro_web.jobs import services as jobs
from csro_web.jobs import work
from csro_web.policies.models import Origin, Policy
from csro_web.runs.models import Run, RunState
from csro_web.runs.worker import Worker
from tests.approvals.conftest import COPIES, with_result
from tests.approvals.deeds import approve, commit, open_thread
from tests.web.builders import FIRST, add_policy, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_own_key")]
Someone = Callable[..., User]


def client_of(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def page(policy: Policy, person: User) -> str:
    return client_of(person).get(f"/policies/{policy.pk}/approval").content.decode()


def decide(policy: Policy, person: User, decision: str, **fields: str) -> Any:
    values = {"sha256": policy.sha256, "reason": "I read all of it.", **fields}
    address = f"/policies/{policy.pk}/approval/decide"
    return client_of(person).post(address, {"decision": decision, **values})


def test_from_re_evaluation_to_approval_through_the_pages(
    policy: Policy, approver: User, someone: Someone, worker: Worker
) -> None:
    ada = client_of(someone("ada"))
    before = page(policy, approver)
    assert "Nobody has asked for a re-evaluation." in before
    assert "Could help: <bdi>launcher</bdi>" in before
    assert ada.post(f"/policies/{policy.pk}/re-evaluate").status_code == 302
    job = Reevaluation.objects.get().job
    assert "hx-get" in page(policy, approver)
    assert work.perform(job.pk, worker) is work.Outcome.SAVED
    after = page(policy, approver)
    assert "On seeds that no search saw" in after
    assert "Against the newest mixture, from the payoff matrix" in after
    assert "nothing is missing" in after
    response = decide(policy, approver, "approved")
    assert (response.status_code, response["Location"]) == (302, f"/policies/{policy.pk}/approval")
    approved = page(policy, approver)
    assert "I read all of it." in approved
    assert Approval.objects.get().sha256 == policy.sha256
    assert "for exactly this program" in ada.get(f"/policies/{policy.pk}").content.decode()
    run_page = ada.get(f"/runs/{policy.run_id}").content.decode()
    assert '<span class="badge still badge-finished">Approved</span>' in run_page


def test_the_pages_say_no_to_those_who_may_not(evaluated: Policy, someone: Someone) -> None:
    for role in (Role.VIEWER, Role.REVIEWER, Role.OPERATOR):
        person = someone(f"a {role}", role)
        assert decide(evaluated, person, "approved").status_code == 403
        text = page(evaluated, person)
        assert "your role may not" in text
        assert 'name="decision"' not in text
        allowed = client_of(person).post(f"/policies/{evaluated.pk}/re-evaluate").status_code
        assert allowed == (403 if role == Role.VIEWER else 302)
    assert not Transition.objects.exists()


@pytest.mark.parametrize("method", ["get", "post"])
def test_another_teams_policy_is_not_there(evaluated: Policy, approver: User, method: str) -> None:
    Run.objects.filter(pk=evaluated.run_id).update(team=Team.objects.create(name="a", slug="a"))
    for end in ("approval", "approval/decide", "re-evaluate"):
        client = client_of(approver)
        status = getattr(client, method)(f"/policies/{evaluated.pk}/{end}").status_code
        assert status in (404, 405), end
    assert evaluated.name not in client_of(approver).get("/approvals?show=all").content.decode()


def test_a_person_with_a_part_sees_why_and_who_could(
    evaluated: Policy, launcher: User, approver: User
) -> None:
    User.objects.filter(pk=launcher.pk).update(role=Role.ADMINISTRATOR, is_superuser=True)
    text = page(evaluated, User.objects.get(pk=launcher.pk))
    assert "You launched its run." in text
    assert "Could help: <bdi>grace</bdi>" in text
    response = decide(evaluated, User.objects.get(pk=launcher.pk), "approved")
    assert response.status_code == 409
    assert "You launched its run." in response.content.decode()
    assert not Approval.objects.exists()


def test_what_was_typed_is_never_lost_when_nothing_was_decided(
    evaluated: Policy, approver: User, someone: Someone
) -> None:
    words = "Line 12 <b>is</b> the one that matters"
    for response, status in (
        (decide(evaluated, approver, "approved", sha256="0" * 64, reason=words), 409),
        (decide(evaluated, approver, "", reason=words), 422),
        (decide(evaluated, approver, "waved through", reason=words), 422),
        (decide(evaluated, approver, "approval_withdrawn", reason=words), 409),
        (decide(evaluated, approver, "approved", reason=words + "x" * 10_000), 422),
    ):
        assert response.status_code == status
        assert "Line 12 &lt;b&gt;is&lt;/b&gt; the one that matters" in response.content.decode()
    assert decide(evaluated, approver, "rejected", reason=" ").status_code == 422
    assert decide(evaluated, approver, "rejected", reason="a\0b").status_code == 422
    assert not Transition.objects.exists()


def test_a_session_that_ended_meanwhile_loses_no_words(evaluated: Policy, approver: User) -> None:
    address = f"/policies/{evaluated.pk}/approval/decide"
    sent = Client().post(address, {"decision": "approved", "reason": "I read it & agree"})
    assert sent.status_code == 302
    client = client_of(approver)
    again = client.get(client.get(sent["Location"])["Location"])
    assert "I read it &amp; agree" in again.content.decode()


def test_a_thread_that_was_opened_since_the_page_was_read_is_told(
    evaluated: Policy, approver: User, someone: Someone
) -> None:
    assert "nothing is missing" in page(evaluated, approver)
    open_thread(evaluated, someone("ada"))
    response = decide(evaluated, approver, "approved")
    assert response.status_code == 409
    assert "No thread on it is open: One thread is open" in response.content.decode()


def test_hostile_words_stay_words_wherever_they_are_shown(
    run: Run, approver: User, someone: Someone
) -> None:
    hostile = "<script>alert(1)</script>\u202egnp.exe"
    policy = add_policy(run, FIRST + "\nD = 1\n", name=hostile)
    decisions.reject(policy=policy, person=approver, reason=hostile)
    shown = [page(policy, approver)]
    shown.append(client_of(approver).get("/approvals?show=rejected").content.decode())
    for text in shown:
        assert "<script>alert" not in text
        assert "\u202e" not in text


def test_a_changed_program_is_told_on_every_page(evaluated: Policy, approver: User) -> None:
    approve(evaluated, approver)
    Policy.objects.filter(pk=evaluated.pk).update(source=COPIES)
    assert "Its approval counts no more" in client_of(approver).get(
        f"/policies/{evaluated.pk}"
    ).content.decode()  # fmt: skip
    text = page(evaluated, approver)
    assert "the stored program is not the approved one: the application" in text
    assert "does not have its hash any more" in text
    assert Approval.objects.get().lapsed_at is not None


def test_held_out_figures_that_are_shown_are_counted_as_looks(
    policy: Policy, evaluated: Policy, approver: User
) -> None:
    looks = Run.objects.get(pk=policy.run_id).held_out_looks
    page(evaluated, approver)
    assert "seen " + str(looks + 2) in page(evaluated, approver)


def test_every_attempt_in_a_line_of_edits_is_counted_and_shown(
    run: Run, policy: Policy, approver: User, someone: Someone
) -> None:
    """Two edits of the same policy, one of them called off, and an equal program elsewhere."""
    ada = someone("ada")
    edits = []
    for number in range(3):
        edit = add_policy(
            run, f"{FIRST}\nTRIED = {number}\n", name=f"edit {number}", origin=Origin.EDITED
        )
        commit(run, edit, ada, parent=edits[-1] if edits else policy)
        edits.append(edit)
    with_result(policy)
    jobs.cancel(reevaluations.ask(policy=edits[0], person=ada).job)
    with_result(edits[1])
    other = make_run(state=RunState.FINISHED)
    with_result(add_policy(other, edits[2].source + "# more words\n", name="elsewhere"))
    with_result(edits[2])
    text = page(edits[2], approver)
    assert "this is program 3 of 3 that this line of edits tried" in text
    assert "No result: cancelled" in text
    assert "elsewhere" in text
    before = page(policy, approver)
    assert "this is program 1 of 3" in before
    assert "elsewhere" not in before
    Run.objects.filter(pk=other.pk).update(team=Team.objects.create(name="a", slug="a"))
    assert "elsewhere" not in page(edits[2], approver)


class TestList:
    def names(self, person: User, query: str = "") -> list[str]:
        response = client_of(person).get(f"/approvals{query}")
        assert response.status_code == 200
        return [row.facts.policy.name for row in response.context["rows"]]

    def test_it_shows_what_waits_and_narrows(
        self, run: Run, evaluated: Policy, approver: User, launcher: User, someone: Someone
    ) -> None:
        add_policy(run, "", name="rockbot", origin=Origin.BOT)
        add_policy(run, COPIES + "#", name="network", origin=Origin.TRAINED)
        add_policy(make_run(state=RunState.RUNNING), FIRST, name="of a running search")
        assert self.names(approver) == ["counts habits"]
        assert self.names(approver, "?show=evaluate") == ["copies"]
        assert self.names(approver, "?game=leduc") == []
        assert self.names(launcher, "?mine=1") == []
        assert self.names(launcher) == ["counts habits"]
        every = {"counts habits", "copies", "of a running search"}
        assert set(self.names(approver, "?show=all")) == every
        approve(evaluated, approver)
        assert self.names(approver) == []
        assert self.names(approver, "?show=approved&page=99") == ["counts habits"]
        assert self.names(approver, "?show=nonsense&page=x") == []

    def test_it_says_what_is_missing_and_why_not_you(
        self, evaluated: Policy, launcher: User, someone: Someone
    ) -> None:
        open_thread(evaluated, someone("ada"))
        text = client_of(launcher).get("/approvals").content.decode()
        assert "1 is open or wait for a check." not in text
        assert "One thread is open or waits for a check." in text
        assert "You launched its run." in text


def test_ten_thousand_policies_make_no_approval_page_slow(
    evaluated: Policy, approver: User, django_assert_max_num_queries: Any
) -> None:
    for _ in range(50):
        other = make_run(state=RunState.FINISHED)
        Policy.objects.bulk_create(
            Policy(
                run=other,
                index=number,
                name=f"p{number}",
                origin="generated",
                source=f"# {number}",
                sha256=f"{number:064}",
            )
            for number in range(200)
        )
    client = client_of(approver)
    most = {f"/policies/{evaluated.pk}/approval": 45, "/approvals": 30, "/approvals?show=all": 200}
    for address, queries in most.items():
        with django_assert_max_num_queries(queries):
            assert client.get(address).status_code == 200


def test_a_superuser_without_the_role_is_refused_on_the_page_too(
    evaluated: Policy, someone: Someone
) -> None:
    root = someone("root", Role.VIEWER, is_superuser=True)
    response = decide(evaluated, root, "approved")
    assert response.status_code == 409
    assert "your role may not" in response.content.decode()
    assert selectors.standing_of(evaluated).state is State.UNREVIEWED
