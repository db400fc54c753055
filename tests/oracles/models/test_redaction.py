"""No key is in anything that leaves the client: errors, their causes, answers, records."""

from __future__ import annotations

import logging
import time
import traceback

import pytest

from oracles.models import ModelFailed, ModelRefused
from oracles.models.redaction import redact
from tests.model_server import Behaviour, ModelServer, answers, echoes_headers, sends, status
from tests.oracles.models.asking import choice, client, request

KEY = "very-secret+key/0123456789=="


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVER_KEY", KEY)


ECHOES = {
    "401": echoes_headers(401),
    "500": echoes_headers(500),
    "garbage": sends(f"not JSON, but {KEY} it is".encode()),
    "plain text": sends(f"Bearer {KEY} is wrong".encode(), 403),
    "error in a 200": sends(f'{{"error": {{"message": "{KEY}", "code": 500}}}}'.encode()),
    "status line": status(400, f"https://models.example/v1?key={KEY}"),
}


@pytest.mark.parametrize("behaviour", ECHOES.values(), ids=ECHOES)
@pytest.mark.parametrize("model", ["local-model", "gemini/gemini-2.5-flash", "anthropic/claude"])
def test_a_server_that_repeats_the_key_gets_it_nowhere(
    model_server: ModelServer,
    behaviour: Behaviour,
    model: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """litellm, issues 8075, 15799 and 24902: keys in the addresses that exceptions quote."""
    caplog.set_level(logging.DEBUG)
    asking, ledger = client()
    model_server.script(behaviour, behaviour)
    with pytest.raises((ModelFailed, ModelRefused)) as caught:
        asking.ask(request(choice(model_server, model, api_key_env="SERVER_KEY", retries=1)))
    assert model_server.requests[0].holds(KEY) or model_server.requests[0].holds("very-secret%2B")
    shown = "".join(traceback.format_exception(caught.value))
    printed = capfd.readouterr()
    for text in (shown, repr(ledger.entries), caplog.text, printed.out, printed.err):
        assert "very-secret" not in text
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_an_answer_that_holds_the_key_is_kept_without_it(model_server: ModelServer) -> None:
    asking, ledger = client()
    model_server.script(answers(f"# {KEY}\npass", model=f"m-{KEY}", finish_reason=KEY))
    answer = asking.ask(request(choice(model_server, api_key_env="SERVER_KEY")))
    assert answer.text == "# [hidden]\npass"
    assert KEY not in repr(answer)
    assert KEY not in repr(ledger.entries)


def test_an_answer_that_holds_another_secret_is_kept_without_it(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    asking, _ = client()
    model_server.script(answers("print('sk-0123456789abcdef')"))
    assert asking.ask(request(choice(model_server))).text == "print('[hidden]')"


@pytest.mark.parametrize("text", ["x" * 300_000, "a://" * 100_000, "bearer " * 50_000])
def test_redacting_a_long_text_takes_no_long_time(text: str) -> None:
    began = time.monotonic()
    redact(text)
    assert time.monotonic() - began < 2.0


def test_passwords_in_addresses_are_hidden() -> None:
    assert redact("at postgresql+psycopg://me:pass-word@host/db") == (
        "at postgresql+psycopg://me:[hidden]@host/db"
    )
