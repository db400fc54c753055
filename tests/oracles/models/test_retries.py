"""What may work the next time is sent again, after a wait; what cannot is not."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from oracles.models import (
    AskLater,
    ModelAnswer,
    ModelFailed,
    ModelRefused,
    ModelRequest,
    OutcomeKind,
    Purpose,
)
from oracles.models.litellm_client import LiteLlmClient
from oracles.models.waiting import Waits, retry_after
from oracles.options import ModelRef
from tests.model_server import MODEL, Behaviour, ModelServer, answers, closes, sends, shape, status
from tests.oracles.models.asking import choice, client, request

TRANSIENT = {
    "429": (status(429, "slow down"), OutcomeKind.RATE_LIMITED),
    "408": (status(408), OutcomeKind.TIMED_OUT),
    "500": (status(500, "boom"), OutcomeKind.SERVER_ERROR),
    "503": (status(503, "overloaded"), OutcomeKind.SERVER_ERROR),
    "error in a 200": (
        shape({"error": {"message": "busy", "code": 429}}),
        OutcomeKind.RATE_LIMITED,
    ),
    "closed connection": (closes(), OutcomeKind.UNREACHABLE),
    "garbage": (sends(b"\xff\x00 no JSON"), OutcomeKind.BAD_ANSWER),
}
HOPELESS = {
    "400": (status(400, "temperature is too high"), OutcomeKind.REJECTED),
    "401": (status(401, "wrong key"), OutcomeKind.NOT_AUTHORISED),
    "402": (status(402, "pay first"), OutcomeKind.NOT_AUTHORISED),
    "403": (status(403, "not yours"), OutcomeKind.NOT_AUTHORISED),
    "404": (status(404, "no such model"), OutcomeKind.REJECTED),
}


@pytest.mark.parametrize(("behaviour", "kind"), TRANSIENT.values(), ids=TRANSIENT)
def test_what_passes_is_tried_again(
    model_server: ModelServer, behaviour: Behaviour, kind: OutcomeKind
) -> None:
    asking, ledger = client()
    model_server.script(behaviour, behaviour, answers("paper"))
    answer = asking.ask(request(choice(model_server)))
    assert (answer.text, answer.requests) == ("paper", 3)
    assert len(model_server.requests) == 3
    kinds = [entry.outcome.kind for entry in ledger.entries if entry.outcome]
    assert kinds == [kind, kind, OutcomeKind.ANSWERED]
    assert [entry.asked.attempt for entry in ledger.entries] == [1, 2, 3]


@pytest.mark.parametrize(("behaviour", "kind"), TRANSIENT.values(), ids=TRANSIENT)
def test_it_fails_after_the_last_retry_and_litellm_adds_none(
    model_server: ModelServer, behaviour: Behaviour, kind: OutcomeKind
) -> None:
    asking, ledger = client()
    model_server.script(*[behaviour] * 10)
    with pytest.raises(ModelFailed, match="after 3 requests"):
        asking.ask(request(choice(model_server, retries=2)))
    assert len(model_server.requests) == len(ledger.entries) == 3
    assert {entry.outcome.kind for entry in ledger.entries if entry.outcome} == {kind}


@pytest.mark.parametrize(
    "behaviour",
    [
        status(400, "This model's maximum context length is 4096 tokens, not 9000."),
        status(400, "prompt is too long: 210000 tokens > 200000 maximum"),
        status(413, "payload too large"),
    ],
)
def test_a_prompt_that_does_not_fit_spends_one_request_and_stops_no_run(
    model_server: ModelServer, behaviour: Behaviour
) -> None:
    asking, ledger = client()
    model_server.script(behaviour)
    with pytest.raises(ModelFailed) as failed:
        asking.ask(request(choice(model_server)))
    assert failed.value.requests == len(ledger.entries) == 1
    assert ledger.entries[0].outcome is not None
    assert ledger.entries[0].outcome.kind is OutcomeKind.REJECTED


@pytest.mark.parametrize(("behaviour", "kind"), HOPELESS.values(), ids=HOPELESS)
def test_what_needs_a_person_is_never_tried_again(
    model_server: ModelServer, behaviour: Behaviour, kind: OutcomeKind
) -> None:
    asking, ledger = client()
    model_server.script(behaviour)
    with pytest.raises(ModelRefused, match="the server answered 40"):
        asking.ask(request(choice(model_server)))
    assert len(model_server.requests) == 1
    outcome = ledger.entries[0].outcome
    assert outcome is not None
    assert outcome.kind is kind
    assert (outcome.prompt_tokens, outcome.usd) == (0, 0.0)


def test_a_server_that_is_not_there_is_tried_again(model_server: ModelServer) -> None:
    asking, ledger = client()
    with pytest.raises(ModelFailed, match="no connection"):
        asking.ask(request(choice(model_server, api_base="http://127.0.0.1:9/v1", retries=1)))
    assert [entry.outcome.kind for entry in ledger.entries if entry.outcome] == [
        OutcomeKind.UNREACHABLE
    ] * 2


def test_retry_after_in_seconds_is_waited_for(model_server: ModelServer) -> None:
    asking, _ = client()
    model_server.script(status(429, retry_after="1"))
    asking.ask(request(choice(model_server)))
    first, second = model_server.requests
    assert 1.0 <= second.at - first.at < 2.0


def test_retry_after_as_a_date_is_waited_for_by_the_servers_own_clock() -> None:
    now = datetime(2031, 5, 1, 12, 0, 0, tzinfo=UTC)
    headers = {
        "date": format_datetime(now, usegmt=True),
        "retry-after": format_datetime(now + timedelta(seconds=90), usegmt=True),
    }
    assert retry_after(headers) == 90.0
    soon = datetime.now(UTC) + timedelta(seconds=30)
    assert retry_after({"retry-after": format_datetime(soon, usegmt=True)}) == pytest.approx(
        30, abs=2
    )


@pytest.mark.parametrize(
    "text", ["", "soon", "nan", "inf", "Mon, 99 Foo 2031 99:99:99 GMT", "\x00"]
)
def test_a_retry_after_that_says_nothing_is_none(text: str) -> None:
    assert retry_after({"retry-after": text}) is None


@pytest.mark.parametrize(("text", "seconds"), [("-5", 0.0), ("2.5", 2.5), ("0", 0.0)])
def test_a_retry_after_is_never_negative(text: str, seconds: float) -> None:
    assert retry_after({"retry-after": text}) == seconds


def test_a_server_that_asks_for_too_much_patience_is_given_up(model_server: ModelServer) -> None:
    asking, _ = client()
    model_server.script(status(429, retry_after="86400"))
    began = time.monotonic()
    with pytest.raises(ModelFailed, match="429"):
        asking.ask(request(choice(model_server)))
    assert time.monotonic() - began < 4
    assert len(model_server.requests) == 1


def test_no_wait_goes_beyond_the_time_of_the_run(model_server: ModelServer) -> None:
    asking, _ = client(seconds_left=lambda: 1.5)
    model_server.script(status(429, retry_after="3"))
    with pytest.raises(ModelFailed, match="429"):
        asking.ask(request(choice(model_server)))
    assert len(model_server.requests) == 1


def test_a_bad_answer_is_asked_for_again_with_another_seed(model_server: ModelServer) -> None:
    asking, _ = client()
    model_server.script(answers(""))
    asking.ask(request(choice(model_server), seed=2**31 + 5))
    assert [received.body["seed"] for received in model_server.requests] == [5, 6]


def test_waits_double_up_to_the_longest_and_repeat_with_the_seed() -> None:
    waits = Waits(first=1.0, longest=8.0)

    def series(seed: int) -> list[float]:
        return [
            waits.seconds(seed=seed, attempt=n, retries=n, retry_after=None) for n in range(1, 8)
        ]

    assert series(1) == series(1)
    assert series(1) != series(2)
    for wait, step in zip(series(3), [1, 2, 4, 8, 8, 8, 8], strict=True):
        assert step / 2 <= wait <= step


def test_jitter_comes_on_top_of_what_the_server_asked_for() -> None:
    waits = [
        Waits().seconds(seed=seed, attempt=1, retries=1, retry_after=10.0) for seed in range(50)
    ]
    assert min(waits) >= 10.0
    assert len(set(waits)) == 50


def sittings(asking: LiteLlmClient, asked: ModelRequest) -> tuple[int, ModelAnswer]:
    """In how many the question was answered by a client that waits for nothing, and how."""
    for sitting in range(1, 20):
        try:
            return sitting, asking.ask(asked)
        except AskLater:
            continue
    raise AssertionError("never answered")


def test_a_long_wait_is_left_to_the_caller_and_the_question_goes_on_where_it_was(
    model_server: ModelServer,
) -> None:
    sent = []
    for longest in (None, 0.0):
        asking, ledger = client(longest_wait=longest)
        model_server.script(status(503), status(429), answers("paper"))
        sitting, answer = sittings(asking, request(choice(model_server)))
        assert (answer.text, answer.requests) == ("paper", 3)
        assert sitting == (1 if longest is None else 3)
        sent.append([(one.asked.attempt, one.asked.parameters) for one in ledger.entries])
    assert sent[0] == sent[1]


def test_what_was_sent_in_an_earlier_sitting_counts(model_server: ModelServer) -> None:
    asking, ledger = client(longest_wait=0.0)
    model_server.script(*[status(503)] * 10)
    with pytest.raises(ModelFailed, match="after 3 requests"):
        sittings(asking, request(choice(model_server, retries=2)))
    assert len(ledger.entries) == 3


def test_a_model_given_up_in_an_earlier_sitting_is_not_asked_again(
    model_server: ModelServer,
) -> None:
    asking, ledger = client(longest_wait=0.0)
    model_server.script(status(503), status(503), status(503), answers("paper"))
    chosen = choice(model_server, "first", retries=1, fallbacks=(ModelRef(model=MODEL),))
    _, answer = sittings(asking, request(chosen))
    assert answer.text == "paper"
    assert [one.asked.model for one in ledger.entries] == ["first", "first", MODEL, MODEL]


def test_a_turn_of_a_game_waits_where_it_is(model_server: ModelServer) -> None:
    asking, _ = client(longest_wait=0.0)
    model_server.script(status(503), answers("paper"))
    asked = replace(request(choice(model_server)), purpose=Purpose.TURN)
    assert asking.ask(asked).requests == 2
