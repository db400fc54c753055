"""The evolution is a function of its results: whoever finishes first, after any interruption."""

from __future__ import annotations

import json
import time
from random import Random

import pytest

from oracles.loop import fold
from oracles.state import RunState, Stage
from oracles.steps import StepResult
from tests.oracles.alpha_evolve.world import config, invented, run

CONFIG = config()


@pytest.fixture(scope="module")
def whole() -> tuple[RunState, dict[str, StepResult]]:
    return run(CONFIG)


def test_it_makes_its_proposals_on_all_islands_in_turn(
    whole: tuple[RunState, dict[str, StepResult]],
) -> None:
    state, results = whole
    assert state.iterations[0].note == "all 40 proposals were made"
    assert len(state.candidates) == 40
    for record in state.candidates:
        assert record.evolved is not None
        assert record.evolved.island == (record.attempt - 1) % 3
    stages = {c.evolved.stage for c in state.candidates if c.evolved is not None}
    assert stages == {Stage.REFUSED, Stage.SCREENED_OUT, Stage.PLAYED}
    assert sum(key.endswith("/screen/0") for key in results) > sum(
        key.endswith("/score/0") for key in results
    )


def test_a_proposal_knows_nothing_younger_than_its_window(
    whole: tuple[RunState, dict[str, StepResult]],
) -> None:
    by_key = {record.key: record for record in whole[0].candidates}
    refined = 0
    for record in by_key.values():
        assert record.evolved is not None
        for key in filter(None, (record.parent, *record.evolved.inspirations)):
            refined += 1
            assert by_key[key].attempt <= record.attempt - CONFIG.evolution.window
            assert by_key[key].fit
    assert refined > 40


def test_parents_and_inspirations_live_on_the_island_of_their_child(
    whole: tuple[RunState, dict[str, StepResult]],
) -> None:
    """OpenEvolve's issues 222, 138 and 391: parents and inspirations of other islands, and children
    put where their parents are, until all programs were in one place."""
    state = whole[0]
    evolution = state.iterations[0].evolution
    assert evolution is not None
    arrived = {(m.attempt, m.target): m.after for m in evolution.migrations}
    by_key = {record.key: record for record in state.candidates}
    strangers = 0
    for record in state.candidates:
        assert record.evolved is not None
        island, known = record.evolved.island, record.attempt - CONFIG.evolution.window
        for key in filter(None, (record.parent, *record.evolved.inspirations)):
            shown = by_key[key]
            assert shown.evolved is not None
            if shown.evolved.island != island:
                strangers += 1
                assert arrived[shown.attempt, island] <= known
    assert strangers, "nobody who migrated was ever shown"
    assert {elite.island for elite in evolution.elites} == {0, 1, 2}


@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_results_gives_the_same_archive(
    whole: tuple[RunState, dict[str, StepResult]], seed: int
) -> None:
    random = Random(seed)
    state, _ = run(CONFIG, pick=lambda known: random.choice(known.pending))
    assert state.candidates == whole[0].candidates
    assert state.iterations == whole[0].iterations
    assert state.population == whole[0].population


def test_it_goes_on_after_an_interruption_with_the_same_programs_in_the_same_islands(
    whole: tuple[RunState, dict[str, StepResult]],
) -> None:
    """All that survives a crash is what was saved, read from a database in any order."""
    random = Random(9)
    _, half = run(
        CONFIG,
        pick=lambda known: random.choice(known.pending),
        stop=lambda known: len(known.candidates) >= 23,
    )
    saved = list(json.loads(json.dumps(half)).items())
    random.shuffle(saved)
    before = fold(CONFIG, half).iterations[0].evolution
    assert before is not None
    assert {elite.island for elite in before.elites} == {0, 1, 2}
    assert fold(CONFIG, dict(saved)).iterations[0].evolution == before
    state, _ = run(CONFIG, results=dict(saved))
    assert state == whole[0]


def test_what_was_asked_for_stays_asked_for() -> None:
    random = Random(5)
    asked: set[str] = set()
    done: set[str] = set()

    def pick_and_check(state: RunState):  # type: ignore[no-untyped-def]
        pending = {step.key for step in state.pending}
        assert asked - done <= pending
        asked.update(pending)
        step = random.choice(state.pending)
        done.add(step.key)
        return step

    run(config(evolution={"islands": 2, "window": 5, "stagnation": 6}), pick=pick_and_check)


def test_several_proposals_are_in_work_at_once() -> None:
    _, results = run(CONFIG, stop=lambda known: len(known.candidates) >= 10)
    missing = [key for key in results if key.startswith("it1/attempt9/")]
    state = fold(CONFIG, {key: r for key, r in results.items() if key not in missing})
    keys = [step.key for step in state.pending]
    assert keys[0] == "it1/attempt9/write"
    assert keys[1:] == [f"it1/attempt{k}/write" for k in range(11, 9 + CONFIG.evolution.window)]


def test_programs_migrate_and_no_island_holds_one_twice(
    whole: tuple[RunState, dict[str, StepResult]],
) -> None:
    evolution = whole[0].iterations[0].evolution
    assert evolution is not None
    assert evolution.migrations
    places = [(elite.island, elite.attempt) for elite in evolution.elites]
    assert len(places) == len(set(places))
    cells = [(elite.island, elite.cell) for elite in evolution.elites]
    assert len(cells) == len(set(cells))
    assert all(migration.after % 5 == 0 for migration in evolution.migrations)


def test_the_best_program_of_all_joins_as_an_evolved_policy(
    whole: tuple[RunState, dict[str, StepResult]],
) -> None:
    state = whole[0]
    best = max(
        (c for c in state.candidates if c.fit and c.score is not None),
        key=lambda c: (c.score.mean if c.score else 0, -c.attempt),
    )
    assert state.population[-1].candidate_key == best.key
    assert state.population[-1].origin == "evolved"


def test_it_stops_when_nothing_improves_any_more() -> None:
    state, _ = run(config(proposals=400, evolution={"islands": 1, "window": 3, "stagnation": 4}))
    assert "4 results in a row improved nothing" in state.iterations[0].note
    assert len(state.candidates) < 400
    assert state.population[-1].origin == "evolved"


def test_a_spent_budget_ends_it_and_keeps_everything() -> None:
    _, results = run(CONFIG, stop=lambda known: len(known.candidates) >= 17)
    state = fold(CONFIG, results)
    while not state.stop_reason:
        for step in state.pending:
            is_write = step.key.endswith("/write")
            results[step.key] = {"exhausted": "spent"} if is_write else invented(step, CONFIG)
        state = fold(CONFIG, results)
    assert state.stop_reason == "nothing more could be proposed: spent"
    assert len(state.candidates) >= 17
    assert state.population[-1].origin == "evolved"
    assert state.iterations[0].evolution is not None
    assert state.iterations[0].evolution.elites


def test_a_fold_of_three_hundred_proposals_takes_less_than_a_third_of_a_second() -> None:
    large = config(proposals=300, initial=[])
    results: dict[str, StepResult] = {}
    state = fold(large, results)
    while not state.stop_reason:
        for step in state.pending:
            results[step.key] = invented(step, large)
        state = fold(large, results)
    assert len(state.candidates) == 300
    spent = []
    for _ in range(3):
        started = time.process_time()
        fold(large, results)
        spent.append(time.process_time() - started)
    assert min(spent) < 0.3
