"""Twenty processes at once never pass a budget, and use all of it.

Issue 34732 of BerriAI/litellm tells how requests that check a budget together pass it together,
and issue 40095 how the very first ones do, when there is no row yet to count them in.
"""

from __future__ import annotations

import pytest

from tests.work.place import Place

TOTALS = "SELECT calls, tokens, nano_usd FROM calls_spending"
ROWS = (
    "SELECT count(*), sum(COALESCE(prompt_tokens + completion_tokens, reserved_tokens)),"
    " sum(COALESCE(nano_usd, reserved_nano_usd)) FROM calls_modelcall"
)


@pytest.mark.parametrize(
    ("budget", "calls"),
    [
        ({"calls": 1}, 1),  # all twenty are the first
        ({"calls": 137}, 137),
        ({"tokens": 60_300}, 119),  # each needs room for 1,000 and then costs 500
        ({"usd": 0.6}, 119),
    ],
    ids=["one call", "calls", "tokens", "usd"],
)
def test_twenty_processes_spend_exactly_what_a_run_may(
    budget: dict[str, float], calls: int, place: Place
) -> None:
    assert (done := place.manage("migrate", "-v0")).returncode == 0, done.stderr
    code = f"from tests.calls.spender import make, spend; spend(make(**{budget!r}))"
    done = place.manage("shell", "-v0", "-c", code)
    assert done.returncode == 0, done.stdout + done.stderr
    (totals,) = place.rows(TOTALS)
    (rows,) = place.rows(ROWS)
    assert tuple(map(int, totals)) == tuple(map(int, rows))
    assert totals[0] == calls
    assert totals[1] <= budget.get("tokens", 10**9)
    assert totals[2] <= budget.get("usd", 10**9) * 10**9
