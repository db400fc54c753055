"""Runs that people answer: no worker waits, nothing typed is lost, the first answer counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from csro_web.accounts.models import Role, User
from csro_web.answers.models import Answer
from csro_web.leases.outcome import Outcome
from csro_web.policies.models import Candidate
from csro_web.runs import services
from csro_web.runs.models import Run, RunState, Step, StepState
from csro_web.runs.worker import Worker
from oracles.config import RunConfig
from tests.web import builders

pytestmark = pytest.mark.django_db(transaction=True)

GOOD = f"Here it is.\n\n```python\n{builders.FIRST}```\nIt should gain."
BROKEN = "```python\nclass Policy:\n    def act(self, obs)\n        return 0\n```"


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker(engine_workers=1, announce=False)
    yield made
    made.close()


def manual_run(**changes: Any) -> Run:
    config = {
        "game": "rrps",
        "oracle": "linear_refinement",
        "writer": "manual",
        "iterations": 1,
        "refinements": 2,
        "episodes": 2,
        "evaluation_episodes": 1,
        "initial": ["uniform", "mostly_paper"],
        "seed": 3,
        **changes,
    }
    return services.create_run(config=RunConfig.from_json(config), announce=False)


def work(worker: Worker, run: Run) -> Run:
    """What a worker can do, until nothing is ready."""
    while True:
        step = run.steps.filter(state=StepState.READY).order_by("order").first()
        if step is None:
            return Run.objects.get(pk=run.pk)
        assert worker.perform(step.pk) is Outcome.SAVED


def asked(run: Run) -> Step:
    return run.steps.get(state=StepState.WAITING)


def test_a_run_is_answered_by_people_from_beginning_to_end(
    worker: Worker, operator: Client, as_role: Callable[[str], Client]
) -> None:
    run = work(worker, manual_run())
    assert run.state == RunState.RUNNING
    assert "1 request waits for a person" in operator.get(f"/runs/{run.pk}").content.decode()
    listed = operator.get(f"/requests?run={run.pk}").content.decode()
    assert f'href="/requests/{asked(run).pk}"' in listed
    page = operator.get(f"/requests/{asked(run).pk}").content.decode()
    assert "Write a policy whose expected payoff" in page
    answer = operator.post(f"/requests/{asked(run).pk}", {"answer": GOOD, "send": "1"})
    assert answer.url == f"/runs/{run.pk}"
    run = work(worker, run)
    reviewer = as_role(Role.REVIEWER)
    text = GOOD.replace("theirs[-2:]", "theirs[-1:]").replace("theirs[-3:-1]", "theirs[-2:-1]")
    reviewer.post(f"/requests/{asked(run).pk}", {"answer": text, "send": "1"})
    run = work(worker, run)
    assert run.state == RunState.FINISHED
    assert run.candidates.filter(accepted=True).count() == 2
    assert run.policies.filter(iteration=1).count() == 1
    first = run.candidates.get(attempt=1)
    assert "answered by hand: operator" in operator.get(f"/candidates/{first.pk}").content.decode()
    sent = Answer.objects.filter(sent_at__isnull=False).values_list("person__username", flat=True)
    assert sorted(sent) == ["operator", "reviewer"]


def test_no_worker_can_take_what_waits_for_a_person(worker: Worker, person: Any) -> None:
    run = work(worker, manual_run())
    assert worker.perform(asked(run).pk) is Outcome.NOT_TO_BE_HAD
    assert asked(run).attempts == 0


def test_an_answer_that_cannot_be_played_is_said_at_once_and_stays_on_the_page(
    worker: Worker, operator: Client
) -> None:
    run = work(worker, manual_run())
    step = asked(run)
    refused = operator.post(f"/requests/{step.pk}", {"answer": BROKEN, "send": "1"})
    assert refused.status_code == 422
    html = refused.content.decode()
    assert "because of its line 2" in html
    assert "def act(self, obs)" in html
    assert not Candidate.objects.filter(run=run, completion__contains="act").exists()
    assert asked(run).pk == step.pk
    operator.post(f"/requests/{step.pk}", {"answer": BROKEN, "although_refused": "1"})
    candidate = Candidate.objects.get(run=run, key="it1/attempt1")
    assert (candidate.accepted, candidate.completion) == (False, BROKEN)


def test_the_same_program_again_is_told_before_it_is_sent(worker: Worker, operator: Client) -> None:
    run = work(worker, manual_run())
    operator.post(f"/requests/{asked(run).pk}", {"answer": GOOD, "send": "1"})
    run = work(worker, run)
    checked = operator.post(f"/requests/{asked(run).pk}/draft", {"answer": GOOD})
    assert "the same program as it1/attempt1" in checked.content.decode()


def test_a_draft_is_kept_while_it_is_typed_and_never_sent_by_that(
    worker: Worker, operator: Client, as_role: Callable[[str], Client]
) -> None:
    run = work(worker, manual_run())
    step = asked(run)
    kept = operator.post(f"/requests/{step.pk}/draft", {"answer": GOOD + "\x00"})
    assert "can be played" in kept.content.decode()
    assert "Draft kept" in kept.content.decode()
    again = operator.get(f"/requests/{step.pk}").content.decode()
    assert "Bets that habits last" in again
    other = as_role(Role.REVIEWER).get(f"/requests/{step.pk}").content.decode()
    assert "Bets that habits last" not in other
    assert "Also being answered by <bdi>operator</bdi>" in other
    assert asked(run).pk == step.pk


def test_the_second_answer_to_a_request_is_told_who_was_first_and_keeps_its_text(
    worker: Worker, operator: Client, as_role: Callable[[str], Client]
) -> None:
    run = work(worker, manual_run())
    step = asked(run)
    operator.post(f"/requests/{step.pk}", {"answer": GOOD, "send": "1"})
    late = as_role(Role.REVIEWER).post(
        f"/requests/{step.pk}", {"answer": "# mine\n" + GOOD, "send": "1"}
    )
    assert late.status_code == 409
    html = late.content.decode()
    assert "operator has answered this request already" in html
    assert "# mine" in html
    assert Candidate.objects.get(run=run, key="it1/attempt1").completion == GOOD


def test_requests_of_one_task_are_answered_in_any_order(worker: Worker, operator: Client) -> None:
    run = work(worker, manual_run(oracle="best_of_n", proposals=2))
    first, second = run.steps.filter(state=StepState.WAITING).order_by("order")
    checked = operator.post(f"/requests/{second.pk}/draft", {"answer": GOOD})
    assert "can be played" in checked.content.decode()
    refused = operator.post(f"/requests/{second.pk}", {"answer": BROKEN, "send": "1"})
    assert "because of its line 2" in refused.content.decode()
    operator.post(f"/requests/{second.pk}", {"answer": GOOD, "send": "1"})
    assert asked(run).pk == first.pk
    operator.post(f"/requests/{first.pk}", {"answer": GOOD, "send": "1"})
    run = work(worker, run)
    assert run.state == RunState.FINISHED
    assert run.candidates.get(attempt=1).accepted
    assert "the same program as it1/attempt1" in run.candidates.get(attempt=2).reason


def test_an_answer_to_a_run_that_has_ended_changes_nothing(
    worker: Worker, operator: Client
) -> None:
    run = work(worker, manual_run())
    step = asked(run)
    services.cancel_run(run)
    late = operator.post(f"/requests/{step.pk}", {"answer": GOOD, "send": "1"})
    assert late.status_code == 409
    assert "The run does not ask for this any more" in late.content.decode()
    assert not Answer.objects.filter(sent_at__isnull=False).exists()
    assert f"/requests/{step.pk}" not in operator.get("/requests").content.decode()


def test_a_paused_run_takes_answers_and_goes_on_when_it_is_resumed(
    worker: Worker, operator: Client
) -> None:
    run = services.pause_run(work(worker, manual_run(oracle="zero_shot")))
    operator.post(f"/requests/{asked(run).pk}", {"answer": GOOD, "send": "1"})
    ready = run.steps.filter(state=StepState.READY).first()
    assert ready is not None
    assert worker.perform(ready.pk) is Outcome.NOT_TO_BE_HAD
    assert work(worker, services.resume_run(run)).state == RunState.FINISHED


def test_an_answer_that_is_too_long_is_refused_with_the_limit(
    worker: Worker, operator: Client
) -> None:
    run = work(worker, manual_run())
    page = operator.post(f"/requests/{asked(run).pk}", {"answer": "x" * 400_001, "send": "1"})
    assert page.status_code == 409
    assert "at most 400000" in page.content.decode()


def test_hostile_text_in_prompt_and_answer_is_inert(worker: Worker, operator: Client) -> None:
    run = work(worker, manual_run())
    evil = "</textarea><script>alert(1)</script>\u202egnp"
    page = operator.post(f"/requests/{asked(run).pk}", {"answer": evil, "check": "1"})
    html = page.content.decode()
    assert "<script>alert" not in html
    assert "&lt;/textarea&gt;" in html


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 30, "\u00b2", "-1"])
def test_a_number_that_no_row_can_have_narrows_nothing(number: str, operator: Client) -> None:
    run = builders.make_run()
    assert operator.get("/requests", {"run": number}).status_code == 200
    candidates = operator.get(f"/runs/{run.pk}/candidates", {"iteration": number})
    assert candidates.status_code == 200
    assert operator.get("/policies/diff", {"a": number, "b": "1"}).status_code == 404


def test_viewers_see_that_something_waits_but_cannot_answer(worker: Worker, viewer: Client) -> None:
    run = work(worker, manual_run())
    assert viewer.get("/requests").status_code == 200
    assert viewer.get(f"/requests/{asked(run).pk}").status_code == 403
    assert viewer.post(f"/requests/{asked(run).pk}/draft", {"answer": GOOD}).status_code == 403
    assert not Answer.objects.exists()


def test_a_replay_repeats_a_run_that_people_answered(worker: Worker, operator: Client) -> None:
    run = work(worker, manual_run(oracle="zero_shot"))
    operator.post(f"/requests/{asked(run).pk}", {"answer": GOOD, "send": "1"})
    first = work(worker, run)
    again = work(worker, manual_run(oracle="zero_shot", writer="replay", recording=str(run.pk)))
    assert again.state == RunState.FINISHED
    assert again.held_out == first.held_out
    assert User.objects.filter(answers__step__run=again).count() == 0
