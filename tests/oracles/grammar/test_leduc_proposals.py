"""What the grammar proposes for Leduc must depend on what it was told, and on nothing else."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from oracles.config import ContextMode
from oracles.task import OpponentView
from oracles.writers.grammar import GrammarWriter
from oracles.writers.grammar.leduc import compose
from oracles.writers.grammar.leduc.recognise import plan_of
from tests.oracles.grammar.leduc_table import INITIAL, feedback, request


def test_equal_requests_give_equal_completions() -> None:
    first, second = (GrammarWriter().write(request(*INITIAL, seed=7)) for _ in range(2))
    assert first == second
    assert not first.model_call


@pytest.mark.parametrize("seed", range(5))
def test_different_opponents_lead_to_different_programs(seed: int) -> None:
    assert len({compose(request(name, seed=seed)) for name in INITIAL}) == len(INITIAL)


def test_without_context_the_opponents_change_nothing() -> None:
    hidden = {compose(request(name, seed=3, context=ContextMode.NONE)) for name in INITIAL}
    assert len(hidden) == 1


def test_without_context_not_even_code_that_is_there_is_read() -> None:
    shown = [request(name, seed=3) for name in INITIAL]
    hidden = [replace(asked, context=ContextMode.NONE) for asked in shown]
    assert len({compose(asked) for asked in hidden}) == 1


def test_a_refinement_changes_few_blocks_of_the_incumbent() -> None:
    incumbent = compose(request("honest", seed=1))
    before = plan_of(incumbent)
    for seed in range(20):
        after = plan_of(compose(request("honest", seed=seed, incumbent=incumbent)))
        assert before is not None
        assert after is not None
        assert before != after
        changed = [name for name, value in vars(before).items() if value != vars(after)[name]]
        assert len(changed) == 1


def test_feedback_changes_the_next_proposal() -> None:
    incumbent = compose(request(*INITIAL, seed=1))
    other = compose(request(*INITIAL, seed=2, incumbent=incumbent))
    differs = 0
    for seed in range(20):
        told = {
            compose(
                request(
                    *INITIAL,
                    seed=seed,
                    incumbent=incumbent,
                    history=(feedback(incumbent, 3.0, {}), feedback(other, 1.0, lost)),
                )
            )
            for lost in ({name: -50.0} for name in INITIAL)
        }
        differs += len(told) > 1
    assert differs > 0


def test_nothing_is_proposed_twice_in_a_task() -> None:
    rng = random.Random(5)
    incumbent, history = None, []
    for attempt in range(60):
        source = compose(
            request(*INITIAL, seed=attempt, incumbent=incumbent, history=tuple(history))
        )
        assert source not in {earlier.source for earlier in history}
        history.append(feedback(source, rng.gauss(0, 10), {}))
        if rng.random() < 0.3 or incumbent is None:
            incumbent = source


def test_an_incumbent_from_elsewhere_is_answered_with_a_fresh_program() -> None:
    source = compose(request("bully", incumbent=INITIAL["uniform"]))
    assert plan_of(source) is not None


def test_an_opponent_is_not_answered_with_itself() -> None:
    source = compose(request("honest", seed=1))
    asked = request("honest", seed=1)
    shown = (OpponentView("best response 1", 1.0, source, None),)
    for seed in range(20):
        again = replace(asked, opponents=shown, seed=seed)
        assert compose(again) != source
