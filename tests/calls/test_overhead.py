"""Writing a call down costs a small part of the 50 ms that the product may add to it."""

from __future__ import annotations

import time

import pytest

from csro_web.calls.ledger import DatabaseLedger
from csro_web.runs.models import Run
from tests.calls.asking import answered, asked
from tests.web.builders import make_run

CALLS = 50


@pytest.mark.django_db(transaction=True)
def test_a_call_is_recalled_reserved_and_settled_in_little_time() -> None:
    """CPU time, which other work on the machine hardly changes (``bench models`` takes it all)."""
    run: Run = make_run(writer="llm", budget={"calls": CALLS})
    ledger = DatabaseLedger(run.pk)
    question = asked(messages=({"role": "user", "content": "x" * 20_000},))
    began = time.process_time()
    for _ in range(CALLS):
        assert ledger.recall("unknown") is None
        ledger.settle(ledger.reserve(question), answered("y" * 5_000))
    milliseconds = (time.process_time() - began) * 1000 / CALLS
    assert milliseconds < 25, f"{milliseconds:.1f} ms of CPU"
