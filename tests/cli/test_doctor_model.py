"""``./csro doctor --model``: whether a model answers, with what it cost, and never a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from csro_web.cli.doctor_model import ask
from oracles.options import ModelChoice, ModelRef
from tests.cli.command import complaint, csro
from tests.model_server import (
    MODEL,
    Behaviour,
    ModelServer,
    answers,
    echoes_headers,
    model_server,
    sends,
)

__all__ = ["model_server"]
KEY = "lab-key-0123456789abcdef"


def at(address: str) -> ModelChoice:
    return ModelChoice(models=(ModelRef(model=MODEL),), api_base=address)


def test_an_answer_is_reported_with_its_figures(model_server: ModelServer, tmp_path: Path) -> None:
    model_server.script(answers("ready", model="tiny-1"))
    done = csro(
        *("doctor", "--model", MODEL, "--api-base", model_server.url),
        *("--api-key-env", "LAB_API_KEY"),
        CSRO_DATA_DIR=str(tmp_path),
        LAB_API_KEY=KEY,
        OPENAI_API_KEY="sk-providers-own-key",
    )
    assert done.returncode == 0, done.stdout
    assert f"ok    model {MODEL}: tiny-1 answered in" in done.stdout
    assert "11 tokens asked and 7 answered; cost unknown" in done.stdout
    assert model_server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in done.stdout + done.stderr
    assert "providers-own" not in done.stdout + done.stderr


def test_uncounted_tokens_are_unknown(model_server: ModelServer) -> None:
    model_server.script(answers("ready", usage=False))
    check = ask(at(model_server.url))
    assert check.ok is True
    assert "an unknown number of tokens asked" in check.value
    assert model_server.requests[0].headers["authorization"] is None


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (echoes_headers(401), "the server answered 401: bad request with"),
        (sends(b"<html>"), "the answer is no completion: <html>"),
    ],
)
def test_a_failure_is_one_line_and_one_request(
    model_server: ModelServer, behaviour: Behaviour, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_API_KEY", KEY)
    model_server.script(behaviour)
    check = ask(
        ModelChoice(
            models=(ModelRef(model=MODEL),), api_base=model_server.url, api_key_env="LAB_API_KEY"
        )
    )
    assert check.ok is False
    assert words in check.value
    assert "\n" not in check.value
    assert KEY not in check.value
    assert check.remedy
    assert len(model_server.requests) == 1


def test_nobody_at_the_address_is_said_so() -> None:
    check = ask(at("http://127.0.0.1:9/v1"))
    assert check.ok is False
    assert "no connection to the model's server" in check.value


def test_wrong_usage_is_one_line() -> None:
    alone = csro("doctor", "--api-base", "http://127.0.0.1:9/v1")
    assert alone.returncode == 2
    assert "need a --model" in complaint(alone)
    key = csro("doctor", "--model", "m", "--api-key", KEY)
    assert key.returncode == 2
    assert KEY not in complaint(key)
