"""A request is paid for before it is sent, and what was answered is remembered."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from csro_web.calls.ledger import DatabaseLedger, abandon_dead
from csro_web.calls.models import CallOutcome, ModelCall, Spending
from csro_web.calls.text import LONGEST_ANSWER
from csro_web.runs.models import Run
from games.engine import MatchCancelled
from oracles.models import BudgetExhausted, ModelRefused, Outcome, OutcomeKind
from tests.calls.asking import answered, asked

pytestmark = pytest.mark.django_db(transaction=True)
RunWith = Callable[..., Run]


def test_a_request_is_written_down_before_it_is_sent_and_settled_afterwards(
    run_with: RunWith,
) -> None:
    run = run_with()
    ledger = DatabaseLedger(run.pk)
    number = ledger.reserve(asked())
    call = ModelCall.objects.get(pk=number)
    assert (call.outcome, call.ended_at, call.usd) == (CallOutcome.IN_FLIGHT, None, None)
    assert (call.messages[0]["content"], call.parameters) == (
        "Write a policy.",
        {"temperature": 0.7},
    )
    ledger.settle(number, answered())
    call.refresh_from_db()
    assert (call.outcome, call.model_served, call.tokens, call.usd) == (
        "answered",
        "m-2026",
        100,
        0.001,
    )
    spent = Spending.objects.get(run=run)
    assert (spent.calls, spent.tokens, spent.nano_usd) == (1, 100, 1_000_000)


def test_a_budget_of_calls_counts_every_request_that_was_sent(run_with: RunWith) -> None:
    ledger = DatabaseLedger(run_with(calls=2).pk)
    for _ in range(2):
        failed = Outcome(kind=OutcomeKind.RATE_LIMITED, error="429")
        ledger.settle(ledger.reserve(asked()), failed)
    with pytest.raises(BudgetExhausted, match="the budget of 2 calls is used up"):
        ledger.reserve(asked())
    assert list(ModelCall.objects.values_list("attempt", flat=True)) == [1, 2]


def test_a_budget_of_nothing_lets_nothing_through(run_with: RunWith) -> None:
    for budget in ({"calls": 0}, {"tokens": 0}, {"usd": 0}, {"tokens": 999}, {"usd": 0.0099}):
        with pytest.raises(BudgetExhausted):
            DatabaseLedger(run_with(**budget).pk).reserve(asked())
    assert not ModelCall.objects.exists()


def test_what_is_unknown_stays_in_the_budget_at_its_upper_estimate(run_with: RunWith) -> None:
    run = run_with(tokens=1999, usd=0.0199)
    ledger = DatabaseLedger(run.pk)
    unknown = answered(prompt_tokens=None, completion_tokens=None, usd=None)
    ledger.settle(ledger.reserve(asked()), unknown)
    call = run.model_calls.get()
    assert (call.tokens, call.usd) == (None, None)
    with pytest.raises(BudgetExhausted, match="1,999 tokens: 999 are left"):
        ledger.reserve(asked())
    with pytest.raises(BudgetExhausted, match=r"0\.0199 usd: 0\.0099 are left"):
        ledger.reserve(asked(most_tokens=1))


@pytest.mark.parametrize("claimed", [-5, 10**30])
def test_a_server_that_claims_absurd_numbers_is_not_believed(
    claimed: int, run_with: RunWith
) -> None:
    run = run_with()
    ledger = DatabaseLedger(run.pk)
    absurd = answered(prompt_tokens=claimed, usd=float("nan"))
    ledger.settle(ledger.reserve(asked()), absurd)
    call = run.model_calls.get()
    assert (call.prompt_tokens, call.usd) == (None, None)
    assert Spending.objects.get(run=run).tokens == 1000


def test_a_budget_in_dollars_refuses_a_model_of_unknown_price_in_words(run_with: RunWith) -> None:
    with pytest.raises(ModelRefused, match=r"price of openai/m is unknown.*give the model a price"):
        DatabaseLedger(run_with(usd=5).pk).reserve(asked(most_usd=None))


def test_a_request_waits_for_those_in_flight_when_they_may_make_room(run_with: RunWith) -> None:
    run = run_with(tokens=1500)
    ledger = DatabaseLedger(run.pk)
    first = ledger.reserve(asked())
    went: list[int] = []

    def second() -> None:
        try:
            went.append(ledger.reserve(asked("it1/attempt2/write")))
        finally:
            connection.close()

    thread = threading.Thread(target=second)
    thread.start()
    thread.join(0.5)
    assert went == [], "it was sent while the first might still cost 1,000"
    ledger.settle(first, answered())
    thread.join(20)
    assert len(went) == 1
    assert Spending.objects.get(run=run).tokens == 1100


def test_a_request_that_ends_while_the_budget_is_looked_at_makes_room(run_with: RunWith) -> None:
    run = run_with(tokens=1500)
    ledger = DatabaseLedger(run.pk)
    first = ledger.reserve(asked())

    def settle() -> None:
        try:
            ledger.settle(first, answered())
        finally:
            connection.close()

    settling = threading.Thread(target=settle)

    def end_it(execute: Any, sql: str, *rest: Any) -> Any:
        """Between the sum of all requests and the sum of those in flight."""
        if "SUM(" in sql and not settling.ident:
            settling.start()
            settling.join(1)
        return execute(sql, *rest)

    with connection.execute_wrapper(end_it):
        ledger.reserve(asked("it1/attempt2/write"))
    assert Spending.objects.get(run=run).tokens == 1100


def test_a_worker_that_is_stopped_does_not_wait(run_with: RunWith) -> None:
    run = run_with(tokens=1500)
    DatabaseLedger(run.pk).reserve(asked())
    with pytest.raises(MatchCancelled):
        DatabaseLedger(run.pk, should_stop=lambda: True).reserve(asked())


def test_an_answer_is_recalled_exactly_and_costs_nothing_again(run_with: RunWith) -> None:
    ledger = DatabaseLedger(run_with().pk)
    key = "it1/attempt1/write"
    assert ledger.recall(key) is None
    ledger.settle(ledger.reserve(asked()), Outcome(kind=OutcomeKind.TIMED_OUT, usd=0.002))
    assert ledger.recall(key) is None
    text = "nul \x00 lone \ud800 crlf \r\n bidi \u202e"
    ledger.settle(ledger.reserve(asked()), answered(text))
    found = ledger.recall(key)
    assert found is not None
    assert (found.text, found.model, found.finish_reason) == (text, "m-2026", "stop")
    assert (found.usd, found.requests) == (pytest.approx(0.003), 2)
    assert ledger.recall("it1/attempt2/write") is None


def test_the_price_of_an_answer_is_unknown_when_that_of_a_failed_try_is(run_with: RunWith) -> None:
    ledger = DatabaseLedger(run_with().pk)
    ledger.settle(ledger.reserve(asked()), Outcome(kind=OutcomeKind.TIMED_OUT))
    ledger.settle(ledger.reserve(asked()), answered())
    found = ledger.recall("it1/attempt1/write")
    assert found is not None
    assert found.usd is None


def test_a_huge_answer_is_cut_visibly_and_not_taken_for_the_whole(run_with: RunWith) -> None:
    run = run_with()
    ledger = DatabaseLedger(run.pk)
    ledger.settle(ledger.reserve(asked()), answered("x" * (LONGEST_ANSWER + 17)))
    call = run.model_calls.get()
    assert (len(call.answer), call.answer_cut) == (LONGEST_ANSWER, 17)
    assert ledger.recall(call.key) is None


def test_keys_of_this_machine_are_hidden_wherever_they_come_back(
    run_with: RunWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_API_KEY", "planted-0123456789")
    run = run_with()
    ledger = DatabaseLedger(run.pk)
    told = "your key planted-0123456789 is good"
    number = ledger.reserve(
        asked(parameters={"user": told}, messages=({"role": "user", "content": told},))
    )
    ledger.settle(number, answered(told, error=told, model=told, finish_reason=told))
    row = ModelCall.objects.filter(run=run).values().get()
    assert "planted" not in repr(row)
    assert repr(row).count("[hidden]") == 6


def test_the_requests_of_dead_processes_are_abandoned_and_still_count(run_with: RunWith) -> None:
    run = run_with(calls=2)
    ledger = DatabaseLedger(run.pk)
    mine, dead = ledger.reserve(asked()), ledger.reserve(asked("it1/attempt2/write"))
    place = ModelCall.objects.get(pk=mine).owner.rpartition(":")[0]
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    ModelCall.objects.filter(pk=dead).update(owner=f"{place}:{ended.pid}")
    assert abandon_dead() == 1
    assert ModelCall.objects.get(pk=mine).outcome == CallOutcome.IN_FLIGHT
    assert ModelCall.objects.get(pk=dead).outcome == CallOutcome.ABANDONED
    with pytest.raises(BudgetExhausted, match="2 calls"):
        ledger.reserve(asked())


def test_a_request_long_past_its_deadline_is_abandoned_wherever_it_was_sent(
    run_with: RunWith,
) -> None:
    run = run_with()
    ledger = DatabaseLedger(run.pk)
    number = ledger.reserve(asked())
    past = timezone.now() - timedelta(seconds=1)
    run.model_calls.update(owner="elsewhere/1:1")
    assert abandon_dead() == 0
    run.model_calls.update(overdue_at=past)
    assert abandon_dead() == 1
    ledger.settle(number, answered())  # the worker was only frozen: the answer is the truth
    assert run.model_calls.get().outcome == CallOutcome.ANSWERED
    assert Spending.objects.get(run=run).tokens == 100
    with pytest.raises(ValueError, match="is not open"):
        ledger.settle(number, answered())
