"""What a request costs is known from a price that somebody stated, or it is unknown."""

from __future__ import annotations

import pytest

from oracles.models.endpoints import Endpoint, Price
from oracles.models.prices import listed_tariff, most_prompt_tokens
from oracles.options import ModelChoice, ModelRef
from tests.model_server import ModelServer, answers, silent, status
from tests.oracles.models.asking import choice, client, request

LISTED = {
    "gpt-x": {
        "litellm_provider": "openai",
        "input_cost_per_token": 2e-6,
        "output_cost_per_token": 8e-6,
        "cache_read_input_token_cost": 5e-7,
        "input_cost_per_token_above_200k_tokens": 4e-6,
        "output_cost_per_token_above_200k_tokens": 9e-6,
        "input_cost_per_token_priority": 1.0,
        "output_cost_per_token_batches": 1e-6,
    },
    "free-x": {
        "litellm_provider": "openai",
        "input_cost_per_token": 0.0,
        "output_cost_per_token": 0.0,
    },
    "ollama/llama3": {
        "litellm_provider": "ollama",
        "input_cost_per_token": 0.0,
        "output_cost_per_token": 0.0,
    },
    "half-x": {"litellm_provider": "openai", "input_cost_per_token": 1e-6},
    "odd-x": {
        "litellm_provider": "openai",
        "input_cost_per_token": -1.0,
        "output_cost_per_token": "1",
    },
}


class Priced:
    """An endpoint that states its own price."""

    def __init__(self, price: Price | None) -> None:
        self.price = price

    def resolve(self, ref: ModelRef, choice: ModelChoice) -> Endpoint:
        return Endpoint(
            model=ref.model, provider="openai", api_base=choice.api_base, price=self.price
        )


def test_a_listed_price_counts_long_prompts_and_cached_tokens() -> None:
    tariff = listed_tariff(LISTED, "openai", "gpt-x")
    assert tariff is not None
    assert tariff.most(prompt_tokens=100, completion_tokens=10) == pytest.approx(4.9e-4)
    assert tariff.cost(prompt_tokens=100, completion_tokens=10) == pytest.approx(2.8e-4)
    cached = tariff.cost(prompt_tokens=100, completion_tokens=10, cached_tokens=80)
    assert cached == pytest.approx(2.8e-4 - 80 * 1.5e-6)
    long = tariff.cost(prompt_tokens=300_000, completion_tokens=10)
    assert long == pytest.approx(300_000 * 4e-6 + 10 * 9e-6)


@pytest.mark.parametrize("model", ["unknown-x", "free-x", "half-x", "odd-x"])
def test_a_price_that_nobody_states_is_unknown_not_zero(model: str) -> None:
    assert listed_tariff(LISTED, "openai", model) is None


def test_another_providers_price_is_not_taken() -> None:
    assert listed_tariff(LISTED, "hosted_vllm", "gpt-x") is None


def test_a_model_on_ones_own_machine_costs_nothing() -> None:
    tariff = listed_tariff(LISTED, "ollama", "llama3")
    assert tariff is not None
    assert tariff.most(prompt_tokens=10**6, completion_tokens=10**6) == 0.0


def test_an_unlisted_model_has_an_unknown_price_in_answer_and_ledger(
    model_server: ModelServer,
) -> None:
    asking, ledger = client()
    assert asking.ask(request(choice(model_server))).usd is None
    entry = ledger.entries[0]
    assert entry.asked.most_usd is None
    assert entry.outcome is not None
    assert entry.outcome.usd is None


def test_an_endpoints_own_price_counts(model_server: ModelServer) -> None:
    asking, ledger = client(endpoints=Priced(Price(prompt=1e-6, completion=1e-5)))
    answer = asking.ask(request(choice(model_server)))
    assert answer.usd == pytest.approx(11e-6 + 7e-5)
    assert ledger.entries[0].asked.most_usd is not None
    assert ledger.entries[0].asked.most_usd > answer.usd


def test_refused_requests_cost_nothing_and_lost_ones_an_unknown_sum(
    model_server: ModelServer,
) -> None:
    asking, _ = client(endpoints=Priced(Price(prompt=1e-6, completion=1e-5)))
    model_server.script(status(429), status(500))
    assert asking.ask(request(choice(model_server), key="a")).usd == pytest.approx(8.1e-5)
    model_server.script(silent())
    lost = asking.ask(request(choice(model_server, deadline_seconds=0.5), key="b"))
    assert lost.requests == 2
    assert lost.usd is None


def test_an_uncounted_answer_of_a_priced_model_has_an_unknown_price(
    model_server: ModelServer,
) -> None:
    asking, _ = client(endpoints=Priced(Price(prompt=1e-6, completion=1e-5)))
    model_server.script(answers("rock", usage=False))
    assert asking.ask(request(choice(model_server))).usd is None


@pytest.mark.parametrize("text", ["", "rock " * 500, "шах и мат " * 50, "🪨📄✂️" * 40, "\ud800"])
def test_the_estimate_of_a_prompt_is_never_below_a_tokenisers_count(text: str) -> None:
    from oracles.models.loading import load_litellm

    messages = [{"role": "user", "content": text}]
    counted = load_litellm().token_counter(
        model="gpt-4o",
        messages=[{"role": "user", "content": text.encode("utf-8", "replace").decode()}],
    )
    assert counted <= most_prompt_tokens(messages)
