"""The launch form's test of a connection: a worker asks the model, the page says what came."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from csro_web.accounts.models import Role
from csro_web.audit.models import AuditEvent
from csro_web.jobs import work
from csro_web.jobs.models import Job
from csro_web.runs.worker import Worker
from tests.model_server import MODEL, ModelServer, answers, echoes_headers, model_server

__all__ = ["model_server"]
pytestmark = pytest.mark.django_db(transaction=True)
KEY = "lab-key-0123456789abcdef"


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker(engine_workers=1, announce=False)
    yield made
    made.close()


@pytest.fixture
def endpoint(
    model_server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> ModelServer:
    """The server as an endpoint that an administrator defined, with a key for it."""
    file = tmp_path / "endpoints.toml"
    file.write_text(
        f'[lab]\napi_base = "{model_server.url}"\nkey_env = "LAB_KEY"\nmodels = ["{MODEL}"]\n'
    )
    monkeypatch.setenv("CSRO_ENDPOINTS", str(file))
    monkeypatch.setenv("LAB_KEY", KEY)
    return model_server


def asked(client: Client, text: str = f"lab {MODEL}") -> str:
    response = client.post("/models/test", {"model_models": text})
    assert response.status_code == 200
    return response.content.decode()


def shown(client: Client) -> str:
    return client.get(f"/models/test/{Job.objects.get().pk}").content.decode()


def test_a_model_that_answers_is_reported_with_its_figures(
    operator: Client, endpoint: ModelServer, worker: Worker
) -> None:
    endpoint.script(answers("ready", model="tiny-1"))
    assert "Waiting for a worker" in asked(operator)
    work.perform(Job.objects.get().pk, worker)
    page = shown(operator)
    assert "tiny-1 answered in" in page
    assert "cost unknown" in page
    assert "hx-get" not in page
    assert endpoint.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert AuditEvent.objects.get(action="model.tested").actor_name == Role.OPERATOR


def test_a_server_that_repeats_the_key_does_not_show_it(
    operator: Client, endpoint: ModelServer, worker: Worker
) -> None:
    endpoint.script(echoes_headers(401))
    asked(operator)
    work.perform(Job.objects.get().pk, worker)
    page = shown(operator)
    assert "the server answered 401" in page
    assert KEY not in page + str(Job.objects.get().result)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Name a model first"),
        ("lab", "Line 1"),
        ("elsewhere m", "Line 1"),
        ("lab <b>m</b>", "Line 1"),
    ],
)
def test_what_is_no_defined_model_is_told_and_nothing_is_asked(
    operator: Client, endpoint: ModelServer, text: str, words: str
) -> None:
    page = asked(operator, text)
    assert words in page
    assert "<b>" not in page
    assert not Job.objects.exists()


def test_a_second_press_follows_the_test_that_is_going_on(
    operator: Client, endpoint: ModelServer
) -> None:
    asked(operator)
    asked(operator)
    assert Job.objects.count() == 1
    assert AuditEvent.objects.filter(action="model.tested").count() == 1


def test_a_test_is_seen_by_nobody_else(
    operator: Client, as_role: Callable[[str], Client], endpoint: ModelServer
) -> None:
    asked(operator)
    other = as_role(Role.ADMINISTRATOR)
    assert other.get(f"/models/test/{Job.objects.get().pk}").status_code == 404


@pytest.mark.needs("chromium")
def test_the_form_keeps_what_was_typed_while_a_model_is_tested(
    person: Any, open_browser: Any, endpoint: ModelServer, worker: Worker
) -> None:
    endpoint.script(answers("ready", model="tiny-1"))
    person(Role.OPERATOR)
    watched = open_browser()
    watched.sign_in(Role.OPERATOR)
    watched.open("/runs/new")
    page = watched.page
    page.fill("#id_seed", "4711")
    page.select_option("#id_writer", "llm")
    page.fill("#id_model_models", f"lab {MODEL}")
    page.click("text=Test the connection")
    page.wait_for_selector("#model-test:has-text('Waiting for a worker')")
    work.perform(Job.objects.get().pk, worker)
    page.wait_for_selector("#model-test:has-text('tiny-1 answered')")
    assert page.input_value("#id_seed") == "4711"
    assert page.input_value("#id_model_models") == f"lab {MODEL}"
