"""Committing from the page: two people at once, a run that moves, and texts that are not lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from csro_web.accounts.models import Role
from csro_web.changes import trials
from csro_web.changes.edit_models import EditDraft, Trial
from csro_web.changes.models import Change, Outcome
from csro_web.changes.services import withdraw
from csro_web.jobs import work as jobs
from csro_web.policies.models import Policy
from csro_web.runs import services
from csro_web.runs.models import Run
from csro_web.runs.worker import Worker
from tests.changes.real_runs import CALLER, FAULTY, RAISER, finish, launch, work_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker(engine_workers=1, announce=False)
    yield made
    made.close()


@pytest.fixture
def run(worker: Worker) -> Run:
    return finish(launch(), worker)


def first_of(run: Run) -> Policy:
    return run.policies.order_by("index").exclude(source="")[0]


def commit(client: Client, policy: Policy, text: str, **more: Any) -> Any:
    sent = {"source": text, "tab": "t", "order": "0", "reason": "it is simpler", **more}
    return client.post(f"/policies/{policy.pk}/edit/commit", sent)


def test_an_edit_is_committed_and_its_draft_is_done_with(
    run: Run, worker: Worker, as_role: Callable[[str], Client]
) -> None:
    policy = first_of(run)
    answer = commit(as_role(Role.REVIEWER), policy, CALLER, name="the caller")
    change = Change.objects.get()
    assert answer.url == f"/changes/{change.pk}"
    assert (change.source, change.parent, change.reason) == (CALLER, policy, "it is simpler")
    assert not EditDraft.objects.exists()
    finish(run, worker)
    change.refresh_from_db()
    assert change.outcome in (Outcome.JOINED, Outcome.DONE)
    assert change.policy.name == "the caller"
    assert Policy.objects.get(pk=policy.pk).source == policy.source
    assert "Tried in" not in as_role(Role.REVIEWER).get(answer.url).content.decode()


def test_the_page_of_a_commit_leads_to_the_trials_of_its_text(
    run: Run, worker: Worker, as_role: Callable[[str], Client]
) -> None:
    policy, client = first_of(run), as_role(Role.REVIEWER)
    sent = {"source": CALLER, "tab": "t", "order": "0", "episodes": "20"}
    assert client.post(f"/policies/{policy.pk}/edit/try", sent).status_code in (200, 302)
    trial = Trial.objects.get()
    jobs.perform(trial.job_id, worker)
    page = client.get(commit(client, policy, CALLER).url).content.decode()
    assert f'<dt>Tried in</dt><dd><a href="/trials/{trial.pk}">trial {trial.pk}</a></dd>' in page


def test_two_people_edit_at_once_and_both_commits_stand(
    run: Run, worker: Worker, as_role: Callable[[str], Client]
) -> None:
    policy = first_of(run)
    reviewer, operator = as_role(Role.REVIEWER), as_role(Role.OPERATOR)
    for client, text in ((reviewer, CALLER), (operator, RAISER)):
        sent = {"source": text, "tab": "t", "order": "1"}
        client.post(f"/policies/{policy.pk}/edit/draft", sent, HTTP_HX_REQUEST="true")
    assert commit(reviewer, policy, CALLER, version="1").status_code == 302
    page = operator.get(f"/policies/{policy.pk}/edit").content.decode()
    assert f'href="/changes/{Change.objects.get().pk}"' in page
    assert "reviewer" in page
    assert commit(operator, policy, RAISER, version="1").status_code == 302
    assert [one.number for one in Change.objects.order_by("number")] == [1, 2]
    assert finish(run, worker).policies.filter(change_number__isnull=False).count() == 2


def test_a_commit_while_the_run_moves_joins_it(
    worker: Worker, as_role: Callable[[str], Client]
) -> None:
    run = launch()
    work_until(run, worker, "it1/solve")
    policy = first_of(run)
    assert commit(as_role(Role.REVIEWER), policy, CALLER).status_code == 302
    run = finish(run, worker)
    assert Change.objects.get().policy in run.policies.all()


@pytest.mark.parametrize(
    ("changed", "status", "told"),
    [
        ({"reason": "  "}, 422, "Say why, in a sentence"),
        ({"source": "class Policy:\n    def act(self, obs)\n"}, 422, "line 2"),
        ({"name": "n" * 200}, 422, "The name is too long"),
    ],
)
def test_what_is_wrong_gives_the_form_back_with_everything_typed(
    changed: dict[str, str],
    status: int,
    told: str,
    run: Run,
    as_role: Callable[[str], Client],
) -> None:
    sent = {"reason": "because <b>", "name": "mine", **changed}
    text = sent.pop("source", CALLER)
    response = commit(as_role(Role.REVIEWER), first_of(run), text, **sent)
    page = response.content.decode()
    assert response.status_code == status
    assert told in page
    assert escape(text) in page
    assert sent["name"] in page
    if sent["reason"].strip():
        assert "because &lt;b&gt;" in page
    assert not Change.objects.exists()
    assert EditDraft.objects.get().text == text


def test_what_is_there_already_is_named_with_a_link(
    run: Run, as_role: Callable[[str], Client]
) -> None:
    one, other = run.policies.order_by("index").exclude(source="")[:2]
    answer = commit(as_role(Role.REVIEWER), one, other.source)
    assert answer.status_code == 409
    assert f'href="/policies/{other.pk}"' in answer.content.decode()


def test_what_faulted_in_a_trial_is_committed_knowingly_or_not_at_all(
    run: Run, worker: Worker, as_role: Callable[[str], Client], person: Any
) -> None:
    policy, client = first_of(run), as_role(Role.REVIEWER)
    trial = trials.ask(policy=policy, person=person(Role.REVIEWER), text=FAULTY, episodes=2)
    jobs.perform(trial.job_id, worker)
    answer = commit(client, policy, FAULTY)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "faulted when it was tried" in page
    assert 'name="although_faulty"' in page
    assert commit(client, policy, FAULTY, version="1", although_faulty="1").status_code == 302
    finish(run, worker)
    change = Change.objects.get()
    assert change.outcome == Outcome.REFUSED
    assert change.provenance == {"trials": [trial.pk]}


def test_the_parent_may_be_withdrawn_meanwhile(
    run: Run, as_role: Callable[[str], Client], person: Any
) -> None:
    policy = first_of(run)
    withdraw(policy=policy, person=person(Role.OPERATOR), reason="too weak")
    client = as_role(Role.REVIEWER)
    page = client.get(f"/policies/{policy.pk}/edit").content.decode()
    assert "was taken out of its population" in page
    assert commit(client, policy, CALLER).status_code == 302


def test_a_cancelled_run_takes_no_commit_and_the_text_stays(
    as_role: Callable[[str], Client],
) -> None:
    run = launch()
    services.cancel_run(run)
    policy = first_of(run)
    answer = commit(as_role(Role.REVIEWER), policy, CALLER)
    assert answer.status_code == 422
    assert "takes no changes" in answer.content.decode()
    assert EditDraft.objects.get().text == CALLER


def test_a_stale_page_commits_nothing(run: Run, as_role: Callable[[str], Client]) -> None:
    policy, client = first_of(run), as_role(Role.REVIEWER)
    client.post(f"/policies/{policy.pk}/edit", {"source": RAISER, "tab": "a", "order": "0"})
    answer = commit(client, policy, CALLER, tab="b", version="0")
    assert answer.status_code == 409
    assert not Change.objects.exists()
    assert "Both texts are kept" in answer.content.decode()
    assert EditDraft.objects.get().set_aside.get().text == CALLER


def test_who_may_only_try_cannot_commit(run: Run, as_role: Callable[[str], Client]) -> None:
    client = as_role(Role.APPROVER)
    policy = first_of(run)
    assert client.get(f"/policies/{policy.pk}/edit").status_code == 200
    assert commit(client, policy, CALLER).status_code == 403
