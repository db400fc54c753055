"""Which model is asked: drawn by weight with the seed, then the fallbacks in their order."""

from __future__ import annotations

from collections import Counter

import pytest

from oracles.models import ModelFailed, ModelRefused
from oracles.models.litellm_client import draw_model
from oracles.options import ModelRef
from tests.model_server import ModelServer, status
from tests.oracles.models.asking import choice, client, request


def test_models_are_drawn_in_proportion_to_their_weights() -> None:
    refs = [
        ModelRef(model="a", weight=1),
        ModelRef(model="b", weight=3),
        ModelRef(model="c", weight=0),
    ]
    drawn = Counter(draw_model(refs, seed).model for seed in range(4000))
    assert drawn["c"] == 0
    assert drawn["b"] / 4000 == pytest.approx(0.75, abs=0.03)
    assert [draw_model(refs, 11) for _ in range(3)] == [draw_model(refs, 11)] * 3


def test_fallbacks_are_asked_in_order_when_a_model_cannot_be_had() -> None:
    with ModelServer(models=["third"]) as server:
        asking, ledger = client()
        chosen = choice(
            server, "first", fallbacks=(ModelRef(model="second"), ModelRef(model="third"))
        )
        answer = asking.ask(request(chosen))
        assert [received.body["model"] for received in server.requests] == [
            "first",
            "second",
            "third",
        ]
    assert (answer.model, answer.requests) == ("third", 3)
    assert [entry.asked.model for entry in ledger.entries] == ["first", "second", "third"]


def test_a_fallback_is_asked_after_the_retries_of_the_one_before() -> None:
    with ModelServer(models=None) as server:
        asking, _ = client()
        server.script(*[status(500)] * 3)
        chosen = choice(server, "first", fallbacks=(ModelRef(model="second"),), retries=2)
        assert asking.ask(request(chosen)).model == "second"
        assert [received.body["model"] for received in server.requests] == ["first"] * 3 + [
            "second"
        ]


def test_all_refusing_is_a_refusal_and_one_failing_is_a_failure() -> None:
    with ModelServer(models=[]) as server:
        asking, _ = client()
        chosen = choice(server, "first", fallbacks=(ModelRef(model="second"),), retries=0)
        with pytest.raises(ModelRefused, match=r"first: .*404.*second: .*404"):
            asking.ask(request(chosen, key="a"))
        server.script(status(500))
        with pytest.raises(ModelFailed, match=r"first: .*500.*second: .*404"):
            asking.ask(request(chosen, key="b"))


def test_a_model_whose_provider_is_unknown_names_the_remedy() -> None:
    asking, ledger = client()
    with ModelServer() as server, pytest.raises(ModelRefused, match="PROVIDER/nobodys-model"):
        asking.ask(request(choice(server, "nobodys-model", api_base="")))
    assert ledger.entries == []


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ("Qwen/Qwen3-8B", "Qwen/Qwen3-8B"),
        ("openai/openai/gpt-oss", "openai/gpt-oss"),
        ("hosted_vllm/Qwen/Qwen3-8B", "Qwen/Qwen3-8B"),
        ("llama3:8b", "llama3:8b"),
    ],
)
def test_a_server_is_asked_for_the_model_by_the_name_it_lists(asked: str, sent: str) -> None:
    with ModelServer(models=None) as server:
        asking, _ = client()
        asking.ask(request(choice(server, asked)))
        assert server.requests[0].body["model"] == sent
