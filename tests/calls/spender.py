"""Twenty processes that spend one run's budget as fast as they can."""

from __future__ import annotations

import os
import sys

from django.db import connections

from csro_web.calls.ledger import DatabaseLedger
from csro_web.runs.models import Run
from oracles.models import BudgetExhausted
from tests.calls.asking import answered, asked
from tests.web.builders import make_run

PROCESSES = 20
TOKENS, USD = 1000, 0.01


def make(**budget: float) -> int:
    run: Run = make_run(writer="llm", budget=budget, model={"models": [{"model": "openai/m"}]})
    return run.pk


def spend(run_id: int) -> None:
    """Forks the processes and waits until the budget is used up."""
    connections.close_all()
    children = [_fork(run_id, number) for number in range(PROCESSES)]
    failures = [os.waitpid(pid, 0)[1] for pid in children]
    if any(failures):
        sys.exit(f"children failed: {failures}")


def _fork(run_id: int, number: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        _child(run_id, number)
        status = 0
    finally:
        connections.close_all()
        os._exit(status)


def _child(run_id: int, number: int) -> None:
    """Each request costs half of what it might."""
    ledger = DatabaseLedger(run_id)
    key = f"it1/attempt{number}/write"
    cost = {"prompt_tokens": TOKENS // 2, "completion_tokens": 0, "usd": USD / 2}
    try:
        while True:
            call = ledger.reserve(asked(key, most_tokens=TOKENS, most_usd=USD))
            ledger.settle(call, answered(**cost))
    except BudgetExhausted:
        return
