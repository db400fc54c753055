"""Asking through the product costs little more than asking."""

from __future__ import annotations

from oracles.benchmarks.model_calls import overhead


def test_a_call_is_not_made_longer_than_allowed() -> None:
    call, added = overhead()
    assert call.peer is not None
    assert call.ours > call.peer > 0
    assert added.reached, f"{added.ours:.1f} ms were added to a call"
