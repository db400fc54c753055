"""What people do leaves an event that says who, what and with which details."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from csro_web.accounts.models import Role, User
from csro_web.audit.models import AuditEvent
from csro_web.calls import resending
from csro_web.calls.models import ModelCall
from csro_web.challenges import services as challenges
from csro_web.challenges.targets import of_policy
from csro_web.jobs import services as jobs
from csro_web.launcher.preparation import first_administrator
from csro_web.runs import services, sets
from csro_web.runs.models import Run, Step
from csro_web.runs.prepared import PreparedSet, plan
from csro_web.solving import terminal
from oracles.config import RunConfig
from tests.web import builders, objects

pytestmark = pytest.mark.django_db

TINY = {"game": "leduc", "iterations": 1, "refinements": 1, "episodes": 2, "seed": 5}


@pytest.fixture
def operator(person: Callable[[str], User]) -> User:
    return person(Role.OPERATOR)


def newest(count: int = 1) -> list[AuditEvent]:
    """The newest events, oldest first."""
    return list(AuditEvent.objects.order_by("-sequence")[:count])[::-1]


def test_signing_in_and_out(operator: User, client: Client) -> None:
    client.post("/sign-in", {"username": "operator", "password": "operator"})
    client.post("/sign-out")
    came, went = newest(2)
    assert [came.action, went.action] == ["account.signed_in", "account.signed_out"]
    assert came.actor == went.actor == operator
    assert came.detail == {"address": "127.0.0.1"}


def test_failing_to_sign_in_names_a_person_but_keeps_no_name_that_nobody_has(
    operator: User, client: Client
) -> None:
    client.post("/sign-in", {"username": "operator", "password": "wrong"})
    client.post("/sign-in", {"username": "my secret password", "password": "x"})
    known, unknown = newest(2)
    assert known.action == unknown.action == "account.sign_in_failed"
    assert (known.actor, known.subject_name) == (None, "operator")
    assert (unknown.subject_id, unknown.subject_name) == ("", "")
    assert "secret" not in str(list(AuditEvent.objects.values()))


def test_steering_a_run_from_its_page(
    operator: User,
    as_role: Callable[[str], Client],
) -> None:
    client = as_role(Role.OPERATOR)
    run = builders.make_run()
    for move in ("pause", "resume", "finish", "cancel"):
        client.post(f"/runs/{run.pk}/{move}")
    found = newest(4)
    assert [event.action for event in found] == [
        "run.paused",
        "run.resumed",
        "run.finishing",
        "run.cancelled",
    ]
    assert {(event.actor, event.run_id, event.subject_type) for event in found} == {
        (operator, run.pk, "runs.run")
    }


def test_a_move_that_is_refused_leaves_no_event(operator: User) -> None:
    run = builders.make_run(state="finished")
    with pytest.raises(services.RunStateError):
        services.cancel_run(run, actor=operator)
    assert not AuditEvent.objects.exists()


def test_the_application_pauses_without_an_actor_and_with_its_reason() -> None:
    services.pause_run(builders.make_run(), reason="the key was refused")
    assert (newest()[0].actor, newest()[0].detail) == (None, {"reason": "the key was refused"})


def test_launching_a_run_a_set_and_a_challenge(operator: User) -> None:
    config = RunConfig.from_json(TINY)
    run = services.create_run(config=config, launched_by=operator, announce=False)
    assert (newest()[0].action, newest()[0].run_id) == ("run.launched", run.pk)
    assert newest()[0].detail["seed"] == 5
    made = sets.create_set(
        PreparedSet.REPLICATES,
        plan(PreparedSet.REPLICATES, config, 2),
        launched_by=operator,
        announce=False,
    )
    one, other, whole = newest(3)
    assert [one.action, other.action, whole.action] == [
        "run.launched",
        "run.launched",
        "set.launched",
    ]
    assert whole.detail["runs"] == [one.run_id, other.run_id]
    assert whole.subject_id == str(made.pk)


def test_launching_a_challenge(operator: User) -> None:
    policy = builders.populated_run(iterations=1, state="finished").policies.last()
    target = of_policy(policy)
    config = challenges.config_of(target, {"seed": 1, "proposals": 1})
    run = challenges.launch(target, config, launched_by=operator, announce=False)
    launched, challenge = newest(2)
    assert [launched.action, challenge.action] == ["run.launched", "challenge.launched"]
    assert launched.run_id == challenge.run_id == run.pk


def test_a_terminal_is_named_where_nobody_signed_in() -> None:
    run = services.create_run(config=RunConfig.from_json(TINY), announce=False, from_terminal=True)
    services.pause_run(run)
    terminal.unfinished_run(run.pk)
    launched, _, resumed = newest(3)
    assert launched.actor is resumed.actor is None
    assert launched.detail["from"] == resumed.detail["from"] == "terminal"


def test_sending_a_call_once_more(operator: User) -> None:
    run = builders.make_run(model={"models": [{"model": "m", "endpoint": "e"}]})
    call = ModelCall.objects.get(pk=objects.call(run, operator))
    resend = resending.ask_resend(call=call, asked_by=operator)
    assert (newest()[0].action, newest()[0].run_id) == ("call.resent", run.pk)
    assert newest()[0].detail == {"resend": resend.pk}


def test_answering_in_a_models_place(
    as_role: Callable[[str], Client],
    operator: User,
) -> None:
    step = Step.objects.get(pk=objects.waiting_step(builders.make_run(), operator))
    before = AuditEvent.objects.count()
    client = as_role(Role.REVIEWER)
    client.post(f"/requests/{step.pk}/draft", {"answer": "half an"})
    assert AuditEvent.objects.count() == before + 1  # signing in
    answer = f"```python\n{builders.FIRST}```"
    assert client.post(f"/requests/{step.pk}", {"answer": answer}).status_code == 302
    event = newest()[0]
    assert (event.action, event.actor_name, event.run_id) == (
        "answer.sent",
        "reviewer",
        step.run_id,
    )
    assert event.detail["accepted"] is True
    assert len(event.detail["text_sha256"]) == 64


def test_calling_a_job_off(operator: User) -> None:
    job = jobs.enqueue("verify_audit", inputs={}, asked_by=operator)
    assert jobs.cancel(job, actor=operator)
    assert not jobs.cancel(job, actor=operator)
    assert [event.action for event in AuditEvent.objects.all()] == ["job.cancelled"]


def test_the_first_administrator() -> None:
    assert first_administrator()
    event = newest()[0]
    assert (event.action, event.subject_name, event.detail["role"]) == (
        "person.added",
        "admin",
        "administrator",
    )


def test_what_happened_in_a_transaction_that_failed_is_not_recorded(operator: User) -> None:
    runs: Any = Run.objects.count()
    with pytest.raises(Exception, match=r"."):
        services.create_run(
            config=RunConfig.from_json(TINY), launched_by=operator, name="x" * 500, announce=False
        )
    assert Run.objects.count() == runs
    assert not AuditEvent.objects.exists()
