"""Best-of-N: proposals that know nothing of each other, all in work at once, and the best joins."""

from __future__ import annotations

from random import Random

import pytest

from games.local_engine import LocalEngine
from oracles.best_of_n import BestOfN
from oracles.config import RunConfig
from oracles.loop import MemoryMatchStore, Tools, execute, fold
from oracles.search import Attempt, Attempts, Search
from oracles.state import RunState
from oracles.steps import StepResult
from tests.oracles.conftest import (
    ALWAYS,
    FREQUENCY,
    REFUSAL,
    SAME_AGAIN,
    recorded,
    run_until_loop_ends,
)
from tests.oracles.test_searchers import BETTER, STRONG, UNFIT, WEAK, WEIGHTS

TEXTS = {
    "it1/attempt1": FREQUENCY,
    "it1/attempt2": REFUSAL,
    "it1/attempt3": SAME_AGAIN,
    "it1/attempt4": ALWAYS.format(throw=2),
    "it1/attempt5": ALWAYS.format(throw=0),
}
CONFIG = RunConfig.from_json(
    {
        "game": "rrps", "writer": "replay", "recording": "tests", "oracle": "best_of_n",
        "initial": ["mostly_paper", "uniform"], "iterations": 1, "proposals": 5,
        "evolution": {"window": 4}, "episodes": 3, "seed": 5,
    }
)  # fmt: skip


def search(attempts: Attempts, *, limit: int, window: int) -> Search:
    return BestOfN(weights=WEIGHTS, limit=limit, window=window).search(attempts)


def open_attempts(*attempts: Attempt | None) -> list[int]:
    found = search(list(attempts), limit=6, window=3)
    assert found.finished is (not found.proposals)
    return [proposal.attempt for proposal in found.proposals]


def test_a_proposal_is_begun_when_the_one_a_window_before_it_has_entered() -> None:
    assert open_attempts() == [1, 2, 3]
    assert open_attempts(WEAK) == [2, 3, 4]
    assert open_attempts(None, WEAK, WEAK) == [1]
    assert open_attempts(WEAK, None, WEAK) == [2, 4]
    assert open_attempts(*[WEAK] * 6) == []


def test_a_spent_budget_begins_nothing_and_waits_for_what_is_in_work() -> None:
    spent = Attempt(False, None, (), "the budget of 2 calls is spent")
    assert open_attempts(WEAK, spent) == [3, 4]
    assert open_attempts(WEAK, spent, STRONG, spent) == []
    found = search([WEAK, spent, STRONG, spent], limit=6, window=3)
    assert found.incumbent == 2
    assert found.reason == "the budget of 2 calls is spent"


def test_the_best_by_mean_joins_and_the_earliest_of_equals() -> None:
    found = search([UNFIT, WEAK, STRONG, BETTER], limit=4, window=2)
    assert found.finished
    assert found.incumbent == 2
    assert search([WEAK, WEAK], limit=2, window=2).incumbent == 0


@pytest.fixture(scope="module")
def ended(engine: LocalEngine) -> RunState:
    return run_until_loop_ends(CONFIG, engine, TEXTS)


def test_all_of_a_window_are_pending_together(engine: LocalEngine) -> None:
    tools = Tools(engine=engine, writers=recorded(TEXTS), matches=MemoryMatchStore())
    results: dict[str, StepResult] = {}
    state = fold(CONFIG, results)
    while not state.pending[0].key.endswith("/write"):
        step = state.pending[0]
        results[step.key] = execute(CONFIG, state, step, tools)
        state = fold(CONFIG, results)
    assert [step.key for step in state.pending] == [f"it1/attempt{k}/write" for k in (1, 2, 3, 4)]
    for step in (state.pending[2], state.pending[0]):
        results[step.key] = execute(CONFIG, state, step, tools)
    pending = [step.key for step in fold(CONFIG, results).pending]
    assert pending == ["it1/attempt1/smoke", "it1/attempt2/write", "it1/attempt4/write"]


def test_no_proposal_is_told_of_another(ended: RunState) -> None:
    assert len(ended.candidates) == 5
    assert len({str(record.messages) for record in ended.candidates}) == 1
    assert all(record.parent is None for record in ended.candidates)


def test_the_later_of_two_equal_programs_is_refused(ended: RunState) -> None:
    assert "duplicate" in ended.candidates[2].reason
    assert "it1/attempt1" in ended.candidates[2].reason


def test_the_best_joins_as_a_generated_policy_with_a_gain_on_other_seeds(ended: RunState) -> None:
    scores = {c.key: c.score.mean for c in ended.candidates if c.score is not None}
    member = ended.population[2]
    assert member.candidate_key == max(scores, key=lambda key: scores[key])
    assert member.origin == "generated"
    assert ended.iterations[0].gain is not None
    assert ended.iterations[0].note == "all 5 proposals were made"


def test_any_order_of_execution_gives_the_same_state(engine: LocalEngine, ended: RunState) -> None:
    tools = Tools(engine=engine, writers=recorded(TEXTS), matches=MemoryMatchStore())
    random = Random(3)
    results: dict[str, StepResult] = {}
    state = fold(CONFIG, results)
    while not state.stop_reason:
        step = random.choice(state.pending)
        results[step.key] = execute(CONFIG, state, step, tools)
        after = fold(CONFIG, results)
        still = {item.key for item in state.pending} - {step.key}
        assert still <= {item.key for item in after.pending}, "a step that was asked for is not"
        state = after
    assert state == ended
