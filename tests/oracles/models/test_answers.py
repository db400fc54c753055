"""An answer arrives with all its figures; what is not known of it stays unknown."""

from __future__ import annotations

from oracles.models import OutcomeKind
from tests.model_server import MODEL, ModelServer, answers
from tests.oracles.models.asking import QUESTION, choice, client, request


def test_an_answer_carries_what_the_server_said(model_server: ModelServer) -> None:
    asking, ledger = client()
    model_server.script(answers("paper", model="served-instead", finish_reason="length"))
    answer = asking.ask(request(choice(model_server, temperature=0.5, top_p=0.9)))
    assert answer.text == "paper"
    assert answer.model == "served-instead"
    assert answer.finish_reason == "length"
    assert (answer.prompt_tokens, answer.completion_tokens) == (11, 7)
    assert answer.requests == 1
    assert answer.usd is None
    assert ledger.entries[0].asked.model == MODEL
    body = model_server.requests[0].body
    assert body == {
        "model": MODEL,
        "messages": list(QUESTION),
        "max_tokens": 100,
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
    }
    assert ledger.entries[0].asked.parameters == {
        name: body[name] for name in ("max_tokens", "temperature", "top_p", "seed")
    }


def test_uncounted_tokens_and_an_unsaid_finish_reason_are_unknown(
    model_server: ModelServer,
) -> None:
    asking, _ = client()
    model_server.script(answers("paper", usage=False, finish_reason=None))
    answer = asking.ask(request(choice(model_server)))
    assert (answer.prompt_tokens, answer.completion_tokens) == (None, None)
    assert answer.finish_reason is None


def test_an_absurd_count_of_tokens_is_unknown(model_server: ModelServer) -> None:
    asking, _ = client()
    model_server.script(answers("paper", usage={"prompt_tokens": -5, "completion_tokens": 10**12}))
    answer = asking.ask(request(choice(model_server)))
    assert (answer.prompt_tokens, answer.completion_tokens) == (None, None)


def test_an_answered_key_is_never_asked_again(model_server: ModelServer) -> None:
    asking, ledger = client()
    first = asking.ask(request(choice(model_server)))
    again = asking.ask(request(choice(model_server)))
    assert (again.text, again.requests) == (first.text, 1)
    assert len(model_server.requests) == len(ledger.entries) == 1
    assert ledger.entries[0].outcome is not None
    assert ledger.entries[0].outcome.kind is OutcomeKind.ANSWERED


def test_nothing_but_the_completion_is_asked_of_a_server(model_server: ModelServer) -> None:
    asking, _ = client()
    asking.ask(request(choice(model_server)))
    assert model_server.others == []
