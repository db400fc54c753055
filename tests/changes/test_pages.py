"""The pages of changes, on real runs that a real worker goes on with."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from csro_web.accounts.models import Role, User
from csro_web.approvals import decisions
from csro_web.approvals.selectors import standing_of
from csro_web.approvals.states import State
from csro_web.changes import services as changes
from csro_web.changes.models import Change
from csro_web.policies.models import Policy
from csro_web.runs import services
from csro_web.runs.models import Run
from csro_web.runs.worker import Worker
from csro_web.solving import drive
from oracles.config import RunConfig
from tests.approvals.conftest import with_result
from tests.browser import findings
from tests.changes.real_runs import CALLER, TINY, member

pytestmark = pytest.mark.django_db(transaction=True)
HOSTILE = "<script>alert(1)</script> \u202egnp.exe"


@pytest.fixture
def finished(worker: Worker) -> Run:
    run = services.create_run(config=RunConfig.from_json(TINY), announce=False)
    return go_on(run, worker)


def go_on(run: Run, worker: Worker) -> Run:
    return drive.work_on(run.pk, worker, lambda *_: None)


def text_of(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status
    return answer.content.decode()


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_the_page_follows_a_commit_from_its_record_to_its_effect(
    finished: Run, worker: Worker, operator: Client, person: Callable[[str], User]
) -> None:
    parent = member(finished, 3)
    change = changes.commit(
        run=finished, person=person("reviewer"), source=CALLER, reason=HOSTILE, parent=parent
    )
    page = text_of(operator, f"/changes/{change.pk}")
    assert "Its row is being played against the population" in page
    assert "0 of 1 step asked for so far are done" in words(page)
    assert "<script>alert" not in page
    finished.refresh_from_db()
    poll = re.search(r'hx-get="(/changes/\d+/live\?since=\d+)" hx-trigger', page)
    assert poll is not None
    assert operator.get(poll[1]).status_code == 204
    run_page = text_of(operator, f"/runs/{finished.pk}")
    assert "The population is being revised." in run_page
    assert "Took" in run_page
    assert "do-cancel" not in run_page
    assert "PopReturn" in run_page  # the scores stay to be seen
    go_on(finished, worker)
    page = text_of(operator, poll[1])
    assert "hx-trigger" not in page
    told = words(page)
    assert "What it did to the equilibrium" in told
    assert f"Compare with {parent.name}" in told
    assert "no member yet" in told
    change.refresh_from_db()
    for cell in finished.cells.filter(row=change.policy.index):
        assert str(cell.match.seed) in told
    assert change.policy.name in told


def test_a_refused_commit_says_why_and_keeps_the_program(
    finished: Run, worker: Worker, operator: Client, person: Callable[[str], User]
) -> None:
    faulty = CALLER.replace("return 1", "return 1 // 0")
    change = changes.commit(
        run=finished, person=person("reviewer"), source=faulty, reason="x",
        parent=member(finished, 0),
    )  # fmt: skip
    go_on(finished, worker)
    page = text_of(operator, f"/changes/{change.pk}")
    assert "It was refused:" in page
    assert "it had faults when it was played (exception" in page
    assert "1 // 0" in page
    assert "hx-trigger" not in page


def test_taking_out_and_putting_back_by_the_forms(
    finished: Run, worker: Worker, operator: Client
) -> None:
    policy = member(finished, 2)
    assert f"/policies/{policy.pk}/withdraw" in text_of(operator, f"/policies/{policy.pk}")
    form = text_of(operator, f"/policies/{policy.pk}/withdraw")
    assert "The search of this run is over." in form
    empty = operator.post(f"/policies/{policy.pk}/withdraw", {"reason": "  "})
    assert empty.status_code == 409
    assert b"Say why" in empty.content
    sent = operator.post(f"/policies/{policy.pk}/withdraw", {"reason": "It folds too much."})
    change = Change.objects.get()
    assert sent["Location"] == f"/changes/{change.pk}"
    again = operator.post(f"/policies/{policy.pk}/withdraw", {"reason": "Once more, please."})
    assert again.status_code == 409
    assert b"is withdrawn already" in again.content
    assert b"Once more, please." in again.content
    go_on(finished, worker)
    for address in (f"/runs/{finished.pk}", f"/policies/{policy.pk}", f"/changes/{change.pk}"):
        assert "withdrawn" in text_of(operator, address)
    run_page = text_of(operator, f"/runs/{finished.pk}")
    assert "Final mixture, revised" in run_page
    assert "These scores are those of the mixture that the search ended with" in run_page
    assert "It folds too much." in run_page
    assert "It folds too much." in text_of(operator, f"/runs/{finished.pk}/changes")
    assert f"/policies/{policy.pk}/restore" in text_of(operator, f"/policies/{policy.pk}")
    operator.post(f"/policies/{policy.pk}/restore", {"reason": "It does not."})
    go_on(finished, worker)
    lineage = words(text_of(operator, f"/policies/{policy.pk}"))
    assert "Withdrew a policy change 1 by operator" in lineage
    assert "Restored a policy change 2 by operator" in lineage


def approve(policy: Policy, person: User) -> None:
    decisions.approve(
        policy=policy, person=person, seen_sha256=policy.sha256, statement="I read all of it."
    )


def test_an_approved_policy_is_rejected_first(
    finished: Run, operator: Client, person: Callable[[str], User]
) -> None:
    policy = member(finished, 0)
    approve(with_result(policy), person("approver"))
    answer = operator.post(f"/policies/{policy.pk}/withdraw", {"reason": "Away."})
    assert answer.status_code == 409
    assert b"is approved: reject it first" in answer.content
    assert not Change.objects.exists()
    finished.refresh_from_db()
    assert finished.state == "finished"
    decisions.reject(policy=policy, person=person("approver"), reason="It is not to be played.")
    assert operator.post(f"/policies/{policy.pk}/withdraw", {"reason": "Away."}).status_code == 302


def test_an_approval_given_while_a_withdrawal_waits_lapses_with_it(
    finished: Run, worker: Worker, person: Callable[[str], User]
) -> None:
    policy = with_result(member(finished, 0))
    changes.commit(
        run=finished, person=person("reviewer"), source=CALLER, reason="x",
        parent=member(finished, 1),
    )  # fmt: skip
    changes.withdraw(policy=policy, person=person("operator"), reason="Away.")
    approve(policy, person("approver"))  # the withdrawal waits for the row of the commit
    assert standing_of(policy).state is State.APPROVED
    go_on(finished, worker)
    assert standing_of(policy).state is State.IN_REVIEW
    assert policy.approvals.get().lapse_reason.endswith("change 2: Away.")


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER])
def test_who_may_not_take_out_sees_no_button(
    finished: Run, as_role: Callable[[str], Client], role: str
) -> None:
    policy = member(finished, 0)
    client = as_role(role)
    assert f"/policies/{policy.pk}/withdraw" not in text_of(client, f"/policies/{policy.pk}")
    assert client.post(f"/policies/{policy.pk}/withdraw", {"reason": "x"}).status_code == 403


def test_a_run_that_takes_no_changes_says_so(operator: Client) -> None:
    run = services.create_run(config=RunConfig.from_json(TINY), announce=False)
    services.cancel_run(run)
    policy = run.policies.first()
    assert "/withdraw" not in text_of(operator, f"/policies/{policy.pk}")
    form = text_of(operator, f"/policies/{policy.pk}/withdraw")
    assert "This run is cancelled" in form
    assert "<textarea" not in form
    assert operator.post(f"/policies/{policy.pk}/withdraw", {"reason": "x"}).status_code == 409
    assert "Nobody has changed the population" in text_of(operator, f"/runs/{run.pk}/changes")


def test_pages_of_ordinary_policies_name_their_committer(
    finished: Run, worker: Worker, operator: Client, person: Callable[[str], User]
) -> None:
    change = changes.commit(
        run=finished, person=person("reviewer"), source=CALLER, reason="A plain opponent.",
        parent=member(finished, 1),
    )  # fmt: skip
    go_on(finished, worker)
    change.refresh_from_db()
    assert isinstance(change.policy, Policy)
    told = words(text_of(operator, f"/policies/{change.policy.pk}"))
    assert "Edited by hand change 1 by reviewer" in told
    assert "A plain opponent." in told
    assert f"Edited from {member(finished, 1).name}" in told


def test_taking_out_in_the_browser_shows_its_effect_without_a_reload(
    finished: Run,
    worker: Worker,
    open_browser: Callable[..., Any],
    person: Callable[[str], User],
) -> None:
    person("operator")
    heaviest = max(range(len(finished.final_sigma)), key=finished.final_sigma.__getitem__)
    browser = open_browser()
    browser.sign_in("operator")
    browser.open(f"/policies/{member(finished, heaviest).pk}")
    browser.page.click("text=Take out")
    browser.page.fill("#reason", "It is too strong to learn from.")
    browser.page.click("main button:has-text('Take it out')")
    browser.page.wait_for_selector("text=The mixtures without and with it are being solved")
    go_on(finished, worker)
    browser.page.wait_for_selector("h2:has-text('What it did to the equilibrium')")
    assert (
        findings(browser, [f"/changes/{Change.objects.get().pk}", f"/runs/{finished.pk}/changes"])
        == []
    )
    before = browser.polls()
    browser.page.wait_for_timeout(2500)
    assert browser.polls() == before  # nothing more is asked
