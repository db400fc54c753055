"""A model that gives no answer costs its proposal; a spent budget ends the search, not the run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.local_engine import LocalEngine
from oracles.config import OracleName, RunConfig
from oracles.loop import MemoryMatchStore, Tools, solve_in_memory
from oracles.models import BudgetExhausted, ModelFailed
from oracles.state import RunState
from oracles.steps import StepResult
from oracles.task import Completion
from oracles.writers import LazyWriters
from oracles.writers.replay import Recording, recordings_of
from tests.oracles.conftest import ALWAYS, FREQUENCY

FAILED = ModelFailed("5 requests timed out after 300 s each")
FAILED.requests = 5
SPENT = BudgetExhausted("the budget of 8 calls is spent")
SPENT.requests = 2
CONFIG = RunConfig.from_json(
    {
        "game": "rrps", "writer": "replay", "recording": "tests", "refinements": 4, "seed": 2,
        "initial": ["mostly_paper", "uniform"], "iterations": 2, "episodes": 2,
        "evaluation_episodes": 1,
    }
)  # fmt: skip
ANSWERS: dict[str, Recording] = {
    "it1/attempt1": FAILED,
    "it1/attempt2": Completion(text=ALWAYS.format(throw=2), model_call=True),
    "it1/attempt3": SPENT,
}


def solve(
    engine: LocalEngine, answers: dict[str, Recording], config: RunConfig = CONFIG
) -> tuple[RunState, dict[str, StepResult]]:
    results: dict[str, StepResult] = {}
    tools = Tools(engine=engine, writers=LazyWriters(lambda: answers), matches=MemoryMatchStore())
    state = solve_in_memory(
        config, tools, lambda step, result, _: results.update({step.key: result})
    )
    return state, results


@pytest.fixture(scope="module")
def run(engine: LocalEngine) -> tuple[RunState, dict[str, StepResult]]:
    return solve(engine, ANSWERS)


def test_no_answer_refuses_the_candidate_and_says_why(
    run: tuple[RunState, dict[str, StepResult]],
) -> None:
    record = run[0].candidates[0]
    assert not record.accepted
    assert record.reason == f"the model gave no answer: {FAILED}"
    assert record.messages
    assert "no answer" in run[0].candidates[1].messages[-1]["content"]


def test_what_no_answer_cost_is_unknown(run: tuple[RunState, dict[str, StepResult]]) -> None:
    assert run[0].usage.usd is None
    assert run[0].usage.prompt_tokens is None


def test_every_request_counts_also_those_that_brought_nothing(
    run: tuple[RunState, dict[str, StepResult]],
) -> None:
    replayed = 0  # the answer that was had was recorded: no model was asked for it
    assert run[0].usage.model_calls == 5 + replayed + 2


def test_spent_budget_lets_the_best_so_far_join_and_ends_the_loop(
    run: tuple[RunState, dict[str, StepResult]],
) -> None:
    state, results = run
    assert [record.key for record in state.candidates] == ["it1/attempt1", "it1/attempt2"]
    assert state.population[2].candidate_key == "it1/attempt2"
    assert len(state.iterations) == 1
    assert str(SPENT) in state.iterations[0].note
    assert state.stop_reason == f"nothing more could be proposed: {SPENT}"
    assert state.finished
    assert len(state.held_out) == 3
    assert results["it1/attempt3/write"] == {"exhausted": str(SPENT), "requests": 2}


@pytest.mark.parametrize("oracle", ["zero_shot", "linear_refinement", "best_of_n"])
def test_budget_that_is_spent_from_the_start_leaves_a_run_with_an_evaluation(
    engine: LocalEngine, oracle: str
) -> None:
    nothing = {f"it1/attempt{k}": SPENT for k in range(1, 5)}
    state, _ = solve(engine, dict(nothing), replace(CONFIG, oracle=OracleName(oracle)))
    assert state.finished
    assert state.candidates == ()
    assert str(SPENT) in state.stop_reason
    assert str(SPENT) in state.iterations[0].note


def test_a_person_or_the_clock_ends_the_search_too(engine: LocalEngine) -> None:
    answers = {"it1/attempt1": Completion(text=FREQUENCY)}
    asked: list[str] = []

    def exhausted() -> str | None:
        asked.append("")
        return "the time of 30 minutes is over" if len(asked) > 1 else None

    tools = Tools(
        engine=engine,
        writers=LazyWriters(lambda: answers),
        matches=MemoryMatchStore(),
        exhausted=exhausted,
    )
    state = solve_in_memory(CONFIG, tools)
    assert state.finished
    assert state.population[2].candidate_key == "it1/attempt1"
    assert "30 minutes" in state.stop_reason


def test_a_run_with_spent_answers_repeats_from_what_it_recorded(
    engine: LocalEngine, run: tuple[RunState, dict[str, StepResult]]
) -> None:
    again, results = solve(engine, recordings_of(run[1]))
    assert results.keys() == run[1].keys()
    assert [c.reason for c in again.candidates] == [c.reason for c in run[0].candidates]
    assert again.stop_reason == run[0].stop_reason
