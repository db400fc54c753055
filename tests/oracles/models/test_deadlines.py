"""No server holds a run up: not by silence, not byte by byte, not by size."""

from __future__ import annotations

import threading
import time

import pytest

from games.engine import MatchCancelled
from oracles.models import BudgetExhausted, ModelFailed, OutcomeKind
from tests.model_server import Behaviour, ModelServer, drips, huge, silent, status
from tests.oracles.models.asking import choice, client, request

SLOW = {
    "silent": silent(),
    "dripping": drips(seconds=0.1),
    "dripping headers": drips(seconds=0.1, headers_too=True),
}


@pytest.fixture(autouse=True)
def _loaded(model_server: ModelServer) -> None:
    """litellm takes seconds to import, which these tests do not measure."""
    asking, _ = client()
    asking.ask(request(choice(model_server), key="loaded"))
    model_server.requests.clear()


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "model-request"]


def wait_until_abandoned(server: ModelServer) -> None:
    assert all(received.abandoned.wait(5) for received in server.requests)


@pytest.mark.parametrize("behaviour", SLOW.values(), ids=SLOW)
def test_the_deadline_bites_and_closes_the_connection(
    model_server: ModelServer, behaviour: Behaviour
) -> None:
    asking, ledger = client()
    model_server.script(behaviour)
    began = time.monotonic()
    with pytest.raises(ModelFailed, match=r"no whole answer within 0\.6 seconds"):
        asking.ask(request(choice(model_server, deadline_seconds=0.6, retries=0)))
    assert 0.6 <= time.monotonic() - began < 2.0
    wait_until_abandoned(model_server)
    assert threads() == []
    outcome = ledger.entries[0].outcome
    assert outcome is not None
    assert outcome.kind is OutcomeKind.TIMED_OUT
    assert (outcome.prompt_tokens, outcome.usd) == (None, None), "it may have been billed"


def test_each_retry_has_its_own_deadline_and_they_do_not_multiply(
    model_server: ModelServer,
) -> None:
    asking, _ = client()
    model_server.script(*[silent()] * 9)
    began = time.monotonic()
    with pytest.raises(ModelFailed, match="after 3 requests"):
        asking.ask(request(choice(model_server, deadline_seconds=0.4, retries=2)))
    assert time.monotonic() - began < 3.0
    assert len(model_server.requests) == 3


def test_ollama_keeps_to_the_deadline_too(model_server: ModelServer) -> None:
    """litellm, issue 8333: a timeout that one provider honours and another does not."""
    asking, _ = client()
    for name in ("ollama_chat/llama3", "ollama/llama3"):
        model_server.script(drips(seconds=0.1))
        began = time.monotonic()
        chosen = choice(
            model_server,
            name,
            deadline_seconds=0.5,
            retries=0,
            api_base=model_server.url.removesuffix("/v1"),
        )
        with pytest.raises(ModelFailed, match=r"no whole answer within 0.5 seconds"):
            asking.ask(request(chosen, key=name))
        assert time.monotonic() - began < 2.0


@pytest.mark.parametrize("announced", [True, False])
def test_a_huge_answer_is_not_read_to_its_end(model_server: ModelServer, announced: bool) -> None:
    asking, ledger = client()
    model_server.script(huge(100_000_000, announced=announced))
    with pytest.raises(ModelFailed, match="larger than 16,777,216 bytes"):
        asking.ask(request(choice(model_server, retries=0)))
    wait_until_abandoned(model_server)
    outcome = ledger.entries[0].outcome
    assert outcome is not None
    assert outcome.kind is OutcomeKind.BAD_ANSWER


def test_a_large_answer_within_bounds_is_read_whole(model_server: ModelServer) -> None:
    asking, _ = client()
    model_server.script(huge(8_000_000))
    answer = asking.ask(request(choice(model_server, deadline_seconds=60)))
    assert len(answer.text) == 8_000_000


@pytest.mark.parametrize("behaviour", SLOW.values(), ids=SLOW)
def test_a_stop_ends_the_request_within_moments(
    model_server: ModelServer, behaviour: Behaviour
) -> None:
    asking, ledger = client()
    model_server.script(behaviour)
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(MatchCancelled):
        asking.ask(request(choice(model_server, deadline_seconds=60)), stop.is_set)
    assert time.monotonic() - began < 1.5
    wait_until_abandoned(model_server)
    outcome = ledger.entries[0].outcome
    assert outcome is not None
    assert outcome.kind is OutcomeKind.ABANDONED
    assert outcome.usd is None
    time.sleep(0.3)
    assert threads() == []


def test_a_stop_ends_the_wait_for_a_retry(model_server: ModelServer) -> None:
    asking, _ = client()
    model_server.script(status(429, retry_after="4"))
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(MatchCancelled):
        asking.ask(request(choice(model_server)), stop.is_set)
    assert time.monotonic() - began < 1.5
    assert len(model_server.requests) == 1


def test_whoever_dies_while_asking_leaves_an_abandoned_request(model_server: ModelServer) -> None:
    def dies() -> bool:
        raise KeyboardInterrupt

    asking, ledger = client()
    model_server.script(silent())
    with pytest.raises(KeyboardInterrupt):
        asking.ask(request(choice(model_server)), dies)
    wait_until_abandoned(model_server)
    outcome = ledger.entries[0].outcome
    assert outcome is not None
    assert outcome.kind is OutcomeKind.ABANDONED


def test_the_time_of_the_run_shortens_the_deadline(model_server: ModelServer) -> None:
    asking, _ = client(seconds_left=lambda: 0.4)
    model_server.script(silent())
    began = time.monotonic()
    with pytest.raises(ModelFailed, match=r"no whole answer within 0\.4 seconds"):
        asking.ask(request(choice(model_server, deadline_seconds=60, retries=0)))
    assert time.monotonic() - began < 3


def test_nothing_is_sent_once_the_time_of_the_run_is_over(model_server: ModelServer) -> None:
    asking, ledger = client(seconds_left=lambda: 0.0)
    with pytest.raises(BudgetExhausted, match="time of the run"):
        asking.ask(request(choice(model_server)))
    assert model_server.requests == ledger.entries == []
