"""No number of threads passes a budget together; every request that is sent counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from oracles.models import BudgetExhausted, ModelAnswer, ModelFailed
from oracles.models.endpoints import Endpoint, Price
from oracles.options import Budget, ModelChoice, ModelRef
from tests.model_server import ModelServer, answers, status
from tests.oracles.models.asking import choice, client, request

THREADS = 20


class Priced:
    def resolve(self, ref: ModelRef, choice: ModelChoice) -> Endpoint:
        price = Price(prompt=1e-6, completion=1e-5)
        return Endpoint(model=ref.model, provider="openai", api_base=choice.api_base, price=price)


def together(ask: Callable[[int], ModelAnswer]) -> list[ModelAnswer | Exception]:
    def attempt(number: int) -> ModelAnswer | Exception:
        try:
            return ask(number)
        except (BudgetExhausted, ModelFailed) as error:
            return error

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(attempt, range(3 * THREADS)))


def slowly(_: object) -> str:
    time.sleep(0.02)
    return "rock"


def test_twenty_threads_do_not_pass_a_budget_of_calls() -> None:
    with ModelServer(slowly) as server:
        asking, _ = client(Budget(calls=23))
        chosen = choice(server, retries=3)
        server.script(*[status(500)] * 9)
        results = together(lambda n: asking.ask(request(chosen, key=str(n))))
        assert len(server.requests) == 23
    exhausted = [each for each in results if isinstance(each, BudgetExhausted)]
    assert exhausted
    assert all("23 model calls" in str(each) for each in exhausted)


def test_twenty_threads_do_not_pass_a_budget_of_tokens() -> None:
    with ModelServer(slowly) as server:
        asking, ledger = client(Budget(tokens=4_000))
        results = together(lambda n: asking.ask(request(choice(server), key=str(n))))
    spent = 18 * sum(isinstance(each, ModelAnswer) for each in results)
    assert 0 < spent <= 4_000
    assert sum(entry.tokens for entry in ledger.entries) == spent
    assert any(isinstance(each, BudgetExhausted) for each in results)


def test_twenty_threads_do_not_pass_a_budget_in_dollars() -> None:
    with ModelServer(slowly) as server:
        asking, ledger = client(Budget(usd=0.005), endpoints=Priced())
        results = together(lambda n: asking.ask(request(choice(server), key=str(n))))
        answered = [each for each in results if isinstance(each, ModelAnswer)]
        assert len(server.requests) == len(answered)
    assert 0 < sum(each.usd or 0.0 for each in answered) <= 0.005
    assert sum(entry.usd or 0.0 for entry in ledger.entries) <= 0.005
    assert any(isinstance(each, BudgetExhausted) for each in results)


def test_an_unknown_price_may_not_be_spent_from_a_budget_in_dollars(
    model_server: ModelServer,
) -> None:
    asking, _ = client(Budget(usd=1000.0))
    with pytest.raises(BudgetExhausted, match="price of local-model is unknown"):
        asking.ask(request(choice(model_server)))
    assert model_server.requests == []


def test_a_budget_of_nothing_sends_nothing(model_server: ModelServer) -> None:
    for budget in (Budget(calls=0), Budget(tokens=0)):
        asking, ledger = client(budget)
        with pytest.raises(BudgetExhausted):
            asking.ask(request(choice(model_server)))
        assert ledger.entries == []
    assert model_server.requests == []


def test_an_uncounted_answer_stays_reserved_at_its_highest(model_server: ModelServer) -> None:
    asking, ledger = client()
    model_server.script(answers("rock", usage=False))
    asking.ask(request(choice(model_server)))
    assert ledger.entries[0].tokens == ledger.entries[0].asked.most_tokens > 100
