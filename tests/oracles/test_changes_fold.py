"""A run that people change is still nothing but its configuration and its step results."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.players import source_sha256
from oracles import loop
from oracles.change_book import next_place, twin_of, withdrawn_in_the_end
from oracles.changes import ChangeKind, ChangeOutcome, change_key, commit_result, standing_result
from oracles.config import RunConfig
from oracles.request import write_request
from oracles.state import RunState
from oracles.steps import StepKind, StepResult, StepSpec
from tests.oracles.alpha_evolve import world

SOURCE = world.SOURCE
Results = dict[str, StepResult]
FAULTY = 9
"""Seed of the runs in which some of what people commit has faults."""


def config(**changes: Any) -> RunConfig:
    return world.config(
        **{"oracle": "best_of_n", "iterations": 3, "proposals": 2, "seed": 3, **changes}
    )


def invented(step: StepSpec, run: RunConfig) -> StepResult:
    """As the world invents them; mixtures keep to the members, and few commits have faults."""
    if step.kind is StepKind.SOLVE:
        size, without = step.inputs["policies"], step.inputs.get("without", [])
        share = 1 / (size - len(without))
        sigma = [0.0 if index in without else share for index in range(size)]
        return {"sigma": sigma, "low": [], "high": []}
    found = world.invented(step, run)
    if "matches" not in found:
        return found
    faulty = "change" in step.inputs and run.seed == FAULTY and Random(step.key).random() < 0.3
    faults = {"exception": 1} if faulty else {}
    return {"matches": [{**match, "faults_a": faults} for match in found["matches"]]}


def do(run: RunConfig, results: Results, step: StepSpec) -> RunState:
    results[step.key] = json.loads(json.dumps(invented(step, run)))
    return loop.fold(run, results)


def finish(
    run: RunConfig,
    results: Results,
    pick: Callable[[RunState], StepSpec] = lambda state: state.pending[0],
) -> RunState:
    state = loop.fold(run, results)
    while not state.finished:
        state = do(run, results, pick(state))
    return state


def commit(run: RunConfig, results: Results, number: int, **changes: Any) -> RunState:
    state = loop.fold(run, results)
    source = SOURCE.format(number=-number)
    found: dict[str, Any] = {
        "source": source, "sha256": source_sha256(source), "name": f"edit {number}",
        "origin": "edited", "parent": 0, "before": next_place(run, state), **changes,
    }  # fmt: skip
    return record(run, results, commit_result(**found))


def mark(run: RunConfig, results: Results, kind: ChangeKind, policy: int) -> RunState:
    before = next_place(run, loop.fold(run, results))
    return record(run, results, standing_result(kind, policy=policy, before=before))


def record(run: RunConfig, results: Results, result: StepResult) -> RunState:
    results[change_key(len(loop.fold(run, results).changes) + 1)] = result
    return loop.fold(run, results)


def until(run: RunConfig, results: Results, key: str) -> RunState:
    """Does steps until the one of that key can be done."""
    state = loop.fold(run, results)
    while key not in [step.key for step in state.pending]:
        state = do(run, results, state.pending[0])
    return state


def keys(state: RunState) -> list[str]:
    return [step.key for step in state.pending]


def test_a_commit_joins_before_the_next_mixture_is_asked_for() -> None:
    run, results = config(), Results()
    until(run, results, "it2/attempt1/write")
    state = commit(run, results, 1)
    assert state.changes[0].before == 3
    assert "change/1/row/0" not in keys(state)  # iteration 2 is in work, with its own population
    state = until(run, results, "change/1/row/0")
    assert "it3/solve" not in keys(state)
    (row,) = [step for step in state.pending if step.key == "change/1/row/0"]
    assert row.inputs == {"row": 4, "columns": [0, 1, 2, 3], "candidate": None, "change": 1}
    state = until(run, results, "it3/solve")
    assert [one.name for one in state.population[-2:]] == ["best response 2", "edit 1"]
    assert (state.population[4].change, state.population[4].parents) == (1, (0,))
    assert (state.changes[0].outcome, state.changes[0].policy) == (ChangeOutcome.JOINED, 4)
    (solve,) = state.pending
    assert solve.inputs == {"policies": 5, "solver": "nash"}


def test_what_it_did_is_told_by_the_mixtures_without_and_with_it() -> None:
    run, results = config(), Results()
    until(run, results, "it2/attempt1/write")
    commit(run, results, 1)
    mark(run, results, ChangeKind.WITHDRAW, 1)
    state = until(run, results, "it3/solve")
    first, second = state.changes
    assert first.old is not None
    assert first.new is not None
    assert second.new is not None
    assert (len(first.old.sigma), len(first.new.sigma)) == (4, 5)
    assert second.old == first.new
    assert second.new.sigma == (0.25, 0, 0.25, 0.25, 0.25)
    assert "change/2/base" not in results


def test_a_commit_with_faults_is_refused_and_changes_nothing_else() -> None:
    run, results = config(), Results()
    until(run, results, "it2/attempt1/write")
    commit(run, results, 1)
    (row,) = until(run, results, "change/1/row/0").pending
    first, *others = invented(row, run)["matches"]
    results[row.key] = {"matches": [{**first, "faults_a": {"timeout": 2}}, *others]}
    state = finish(run, results)
    assert state.changes[0].outcome is ChangeOutcome.REFUSED
    assert state.changes[0].note == "it had faults when it was played (timeout 2)"
    without: Results = {k: v for k, v in results.items() if not k.startswith("change/")}
    plain = finish(run, without)
    assert state.population == plain.population
    assert state.held_out == plain.held_out
    assert set(results) - set(without) == {"change/1", "change/1/row/0"}


def test_the_same_program_is_refused_when_the_search_found_it_meanwhile() -> None:
    run, results = config(), Results()
    state = until(run, results, "it2/solve")
    found = state.population[2].player
    again, other = Results(), config()
    until(other, again, "it1/attempt1/write")
    commit(other, again, 1, source=f"# mine\n{found.source}")  # type: ignore[union-attr]
    state = finish(other, again)
    assert state.changes[0].outcome is ChangeOutcome.REFUSED
    assert "the same program as best response 1 (policy 2)" in state.changes[0].note
    assert "change/1/row/0" not in again


def test_withdrawn_policies_are_played_by_no_mixture_and_shown_to_no_writer() -> None:
    run, results = config(opponents="all"), Results()
    until(run, results, "it1/attempt1/write")
    mark(run, results, ChangeKind.WITHDRAW, 0)
    state = until(run, results, "it2/solve")
    (solve,) = state.pending
    assert solve.inputs == {"policies": 3, "solver": "nash", "without": [0]}
    state = until(run, results, "it2/attempt1/write")
    assert state.iterations[1].sigma[0] == 0
    step = next(step for step in state.pending if step.key == "it2/attempt1/write")
    request = write_request(run, state, step)
    assert request.context_use["shown"] == [1, 2]
    state = finish(run, results)
    assert state.population[0].withdrawn_by == 1
    assert state.best_policy != 0
    row = results["it2/row/0"]["matches"]
    assert len(row) == 3  # rows stay complete


def test_restoring_makes_it_playable_again() -> None:
    run, results = config(), Results()
    until(run, results, "it1/attempt1/write")
    mark(run, results, ChangeKind.WITHDRAW, 0)
    until(run, results, "it2/attempt1/write")
    mark(run, results, ChangeKind.RESTORE, 0)
    state = finish(run, results)
    assert state.population[0].withdrawn_by is None
    assert state.final_sigma is not None
    assert state.final_sigma[0] > 0
    assert results["final/solve"]
    assert state.iterations[1].sigma[0] == 0
    assert state.iterations[2].sigma[0] > 0


def test_somebody_has_to_be_left() -> None:
    run, results = config(initial=["uniform", "mostly_paper"]), Results()
    until(run, results, "it1/attempt1/write")
    for index in (0, 1, 2):
        state = mark(run, results, ChangeKind.WITHDRAW, index)
    assert withdrawn_in_the_end(state) == {0, 1, 2}
    state = until(run, results, "it2/solve")
    assert [one.outcome for one in state.changes] == [
        ChangeOutcome.DONE, ChangeOutcome.DONE, ChangeOutcome.REFUSED,
    ]  # fmt: skip
    assert state.changes[2].note == "no policy would be left to play"


def test_a_revision_makes_a_newer_final_mixture_and_leaves_the_scores() -> None:
    run, results = config(), Results()
    ended = finish(run, results)
    state = commit(run, results, 1)
    assert state.changes[0].before is None
    assert not state.finished
    assert state.evaluated
    assert keys(state) == ["change/1/row/0", "change/1/row/1"]
    assert state.steps_expected == state.steps_done + 4  # a row of 5 cells, and at most 2 mixtures
    assert state.final_sigma == ended.final_sigma
    revised = finish(run, results)
    assert revised.held_out == ended.held_out
    assert revised.best_policy == ended.best_policy
    assert revised.stop_reason == ended.stop_reason
    assert revised.final_sigma == (1 / 6,) * 6
    assert revised.changes[0].old is not None
    assert revised.changes[0].old.sigma == ended.final_sigma
    assert "change/1/base" not in results


def test_a_change_while_the_final_mixture_is_scored_waits_for_the_scores() -> None:
    run, results = config(), Results()
    until(run, results, "evaluate/mixture/0")
    state = mark(run, results, ChangeKind.WITHDRAW, 4)
    assert state.changes[0].before is None
    assert not any(key.startswith("change/") for key in keys(state))
    state = finish(run, results)
    assert state.final_sigma == (0.25, 0.25, 0.25, 0.25, 0)
    plain = finish(run, {k: v for k, v in results.items() if not k.startswith("change")})
    assert state.held_out == plain.held_out


def test_a_change_for_an_iteration_that_never_comes_stands_in_the_final_mixture() -> None:
    run, results = config(iterations=1), Results()
    until(run, results, "it1/attempt1/write")
    state = commit(run, results, 1)
    assert state.changes[0].before == 2
    state = until(run, results, "final/solve")
    assert state.pending[0].inputs["policies"] == 4
    assert finish(run, results).held_out[-1].policy == 2  # the last policy is the search's own


def test_a_run_without_changes_asks_for_what_it_always_did() -> None:
    run, results = config(), Results()
    state = finish(run, results)
    assert state.changes == ()
    assert state.evaluated
    solves = [key for key in results if key.endswith("solve")]
    assert solves == ["it1/solve", "it2/solve", "it3/solve", "final/solve"]


def test_the_same_program_twice_is_known_before_it_is_recorded() -> None:
    run, results = config(), Results()
    until(run, results, "it1/attempt1/write")
    state = commit(run, results, 1)
    twin = twin_of(state, f"# a comment\n\n{SOURCE.format(number=-1)}")
    assert twin == state.changes[0]
    assert twin_of(state, SOURCE.format(number=-2)) is None


@st.composite
def stories(draw: st.DrawFn) -> list[tuple[str, int]]:
    """What happens next, again and again: a step is done, or a person changes something."""
    step = st.tuples(st.just("step"), st.integers(0, 50))
    change = st.tuples(st.sampled_from(["commit", "withdraw", "restore"]), st.integers(0, 7))
    return draw(st.lists(st.one_of(step, step, step, step, change), max_size=60))


def tell(run: RunConfig, story: list[tuple[str, int]]) -> tuple[RunState, Results]:
    """Plays the story to the end of the run, checking after each event what must always hold."""
    results = Results()
    state = loop.fold(run, results)
    for what, number in story:
        before = state
        if what == "step":
            if state.pending:
                state = do(run, results, state.pending[number % len(state.pending)])
        elif what == "commit":
            state = commit(run, results, number)
        else:
            state = mark(run, results, ChangeKind(what), number % len(state.population))
        assert state.steps_done == len(results)
        assert not set(keys(state)) & set(results)
        assert {step.key: step.inputs for step in before.pending if step.key not in results} == {
            step.key: step.inputs for step in state.pending if step.key in keys(before)
        }, "a step that was asked for is asked for no more, or for something else"
        assert [one.player for one in before.population] == [
            one.player for one in state.population[: len(before.population)]
        ]
        assert {(c.row, c.column) for c in before.cells} <= {(c.row, c.column) for c in state.cells}
        assert state.steps_expected >= state.steps_done + len(state.pending)
    return finish(run, results), results


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    story=stories(),
    order=st.integers(0, 2**32),
    oracle=st.sampled_from(["best_of_n", "alpha_evolve"]),
)
def test_any_order_of_work_gives_the_same_state(
    story: list[tuple[str, int]], order: int, oracle: str
) -> None:
    run = config(iterations=2, oracle=oracle, seed=FAULTY)
    state, results = tell(run, story)
    size = len(state.population)
    assert len(state.cells) == size * (size - 1) // 2, "rows are complete"
    assert all(one.outcome is not ChangeOutcome.PENDING for one in state.changes)
    assert state.final_sigma is not None
    for index, policy in enumerate(state.population):
        assert state.final_sigma[index] == 0 or policy.withdrawn_by is None
    # the same results in another order
    shuffled = list(results.items())
    Random(order).shuffle(shuffled)
    assert loop.fold(run, dict(shuffled)) == state
    # the same changes, known from the start, and other hands at work
    random = Random(order)
    again: Results = {k: v for k, v in results.items() if "/" not in k.removeprefix("change/")}
    assert finish(run, again, lambda now: random.choice(now.pending)) == state


@pytest.mark.parametrize("kind", [ChangeKind.WITHDRAW, ChangeKind.RESTORE])
def test_a_change_of_nobody_is_refused(kind: ChangeKind) -> None:
    run, results = config(), Results()
    finish(run, results)
    mark(run, results, kind, 99)
    state = finish(run, results)
    assert state.changes[0].note == "there is no such policy in the population"
