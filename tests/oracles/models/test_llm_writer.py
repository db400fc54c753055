"""The writer ``llm`` asks once per candidate, and hands on every figure of the answer."""

from __future__ import annotations

import threading

import pytest

from games.engine import MatchCancelled
from games.registry import get_game
from oracles.candidate import extract
from oracles.config import ConfigError, ContextMode, WriterName
from oracles.models import BudgetExhausted, ModelFailed
from oracles.options import Budget, ModelChoice
from oracles.task import WriteRequest
from oracles.writers import LazyWriters, make_writer
from oracles.writers.llm import LlmWriter
from tests.model_server import ModelServer, answers, silent, status
from tests.oracles.models.asking import QUESTION, choice, client

PROGRAM = """Here it is:
```python
class Policy:
    \"\"\"Always throws paper.\"\"\"

    def act(self, obs):
        return 1
```"""


def write_request(model: ModelChoice | None, key: str = "it1/attempt1") -> WriteRequest:
    return WriteRequest(
        game=get_game("rrps", {}),
        context=ContextMode.NONE,
        opponents=(),
        incumbent=None,
        history=(),
        messages=QUESTION,
        seed=3,
        key=key,
        model=model,
    )


def test_a_completion_has_all_figures_of_the_answer(model_server: ModelServer) -> None:
    asking, ledger = client()
    model_server.script(status(429), answers(PROGRAM, model="served", finish_reason="stop"))
    done = LlmWriter(asking).write(write_request(choice(model_server)))
    assert done.text == PROGRAM
    assert extract(done.text).source is not None
    assert (done.model, done.finish_reason) == ("served", "stop")
    assert (done.prompt_tokens, done.completion_tokens, done.usd) == (11, 7, None)
    assert done.model_call
    assert done.requests == 2
    assert done.seconds is not None
    assert done.seconds > 0
    assert {entry.asked.key for entry in ledger.entries} == {"it1/attempt1"}


def test_a_step_that_is_done_twice_asks_once(model_server: ModelServer) -> None:
    asking, _ = client()
    writer = LlmWriter(asking)
    first = writer.write(write_request(choice(model_server)))
    again = writer.write(write_request(choice(model_server)))
    assert again.text == first.text
    assert again.requests == first.requests == 1
    assert len(model_server.requests) == 1


def test_failures_reach_the_step_as_what_they_are(model_server: ModelServer) -> None:
    asking, _ = client(Budget(calls=1))
    writer = LlmWriter(asking)
    model_server.script(status(500))
    with pytest.raises(ModelFailed):
        writer.write(write_request(choice(model_server, retries=0)))
    with pytest.raises(BudgetExhausted):
        writer.write(write_request(choice(model_server), key="it1/attempt2"))


def test_a_stop_reaches_the_request(model_server: ModelServer) -> None:
    asking, _ = client()
    stop = threading.Event()
    model_server.script(silent())
    threading.Timer(0.3, stop.set).start()
    writers = LazyWriters(models=asking, should_stop=stop.is_set)
    with pytest.raises(MatchCancelled):
        writers[WriterName.LLM].write(write_request(choice(model_server, deadline_seconds=60)))


def test_it_can_be_had_only_where_models_can() -> None:
    asking, _ = client()
    assert WriterName.LLM in list(LazyWriters(models=asking))
    assert WriterName.LLM not in list(LazyWriters())
    with pytest.raises(ConfigError, match="cannot be had here"):
        make_writer(WriterName.LLM)


def test_a_request_without_a_model_is_refused() -> None:
    asking, _ = client()
    with pytest.raises(ConfigError, match="model is missing"):
        LlmWriter(asking).write(write_request(None))
