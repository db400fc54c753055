"""A small evolution on the real engine: screening, behaviour, edits of a parent."""

from __future__ import annotations

import pytest

from games.local_engine import LocalEngine
from oracles.config import RunConfig
from oracles.loop import MemoryMatchStore, Tools, execute, fold
from oracles.state import RunState, Stage
from oracles.steps import StepResult
from oracles.writers import LazyWriters
from tests.oracles.conftest import (
    ALWAYS,
    DECAYED,
    FREQUENCY,
    NAMES_A_THROW,
    SAME_AGAIN,
    recorded,
)

WHOLE_FILE = FREQUENCY.replace("[0, 0, 0]", "[1, 0, 0]")
AMBIGUOUS = """<<<<<<< SEARCH

=======
x
>>>>>>> REPLACE"""
TEXTS = {
    "it1/attempt1": NAMES_A_THROW,
    "it1/attempt2": FREQUENCY,
    "it1/attempt3": DECAYED,
    "it1/attempt4": SAME_AGAIN,
    "it1/attempt5": AMBIGUOUS,
    "it1/attempt6": WHOLE_FILE,
    "it1/attempt7": ALWAYS.format(throw=0),
}


def config(**changes: object) -> RunConfig:
    data = {
        "game": "rrps", "oracle": "alpha_evolve", "initial": ["mostly_paper", "mirror_last"],
        "iterations": 1, "episodes": 3, "proposals": 7, "seed": 5,
        "evolution": {"islands": 1, "window": 1, "screen_episodes": 2}, **changes,
    }  # fmt: skip
    return RunConfig.from_json(data)


def evolve(config: RunConfig, tools: Tools) -> tuple[RunState, dict[str, StepResult]]:
    results: dict[str, StepResult] = {}
    state = fold(config, results)
    while not state.stop_reason:
        step = state.pending[0]
        results[step.key] = execute(config, state, step, tools)
        state = fold(config, results)
    return state, results


@pytest.fixture(scope="module")
def ended(engine: LocalEngine) -> tuple[RunState, dict[str, StepResult]]:
    tools = Tools(engine=engine, writers=recorded(TEXTS), matches=MemoryMatchStore())
    return evolve(config(writer="replay", recording="tests"), tools)


def stage(state: RunState, attempt: int) -> Stage:
    evolved = state.candidates[attempt - 1].evolved
    assert evolved is not None
    return evolved.stage


def test_edits_change_the_parent_and_whole_files_replace_it(
    ended: tuple[RunState, dict[str, StepResult]],
) -> None:
    edited, whole = ended[0].candidates[2], ended[0].candidates[5]
    assert edited.parent == "it1/attempt2"
    assert edited.source is not None
    assert "0.9 * count" in edited.source
    assert "class Policy" in edited.source
    assert whole.accepted
    assert whole.parent is not None


def test_an_edit_that_names_no_place_of_the_parent_is_refused_and_remembered(
    ended: tuple[RunState, dict[str, StepResult]],
) -> None:
    refused = ended[0].candidates[4]
    assert not refused.accepted
    assert "empty search" in refused.reason
    assert stage(ended[0], 5) is Stage.REFUSED
    assert "empty search" in ended[0].candidates[5].messages[-1]["content"]


def test_duplicates_are_refused_before_they_are_screened(
    ended: tuple[RunState, dict[str, StepResult]],
) -> None:
    assert "duplicate" in ended[0].candidates[3].reason
    assert "it1/attempt4/screen/0" not in ended[1]


def test_faults_end_a_program_in_the_screening(
    ended: tuple[RunState, dict[str, StepResult]],
) -> None:
    faulty = ended[0].candidates[0]
    assert faulty.faults
    assert not faulty.fit
    assert "it1/attempt1/score/0" not in ended[1]


def test_all_programs_are_screened_on_the_same_episodes_and_scored_on_others(
    ended: tuple[RunState, dict[str, StepResult]],
) -> None:
    def seeds(stage: str) -> set[tuple[int, ...]]:
        return {
            tuple(match["seed"] for match in result["matches"])
            for key, result in ended[1].items()
            if f"/{stage}/" in key
        }

    assert len(seeds("screen")) == len(seeds("score")) == 1
    assert seeds("screen") != seeds("score")


def test_what_was_screened_has_a_behaviour_a_length_and_a_place_on_the_map(
    ended: tuple[RunState, dict[str, StepResult]],
) -> None:
    evolved = ended[0].candidates[1].evolved
    assert evolved is not None
    assert evolved.stage is Stage.PLAYED
    assert evolved.screen is not None
    assert evolved.length == 7
    entropy, repeats = evolved.behaviour
    assert entropy is not None
    assert 0 <= entropy <= 1.585
    assert repeats is not None
    assert 0 <= repeats <= 1
    assert len(evolved.cell) == 3


def test_the_grammar_evolves_on_two_islands(engine: LocalEngine) -> None:
    evolution = {"islands": 2, "window": 2, "migration": 4, "screen_episodes": 1}
    tools = Tools(engine=engine, writers=LazyWriters(), matches=MemoryMatchStore())
    state, _ = evolve(config(proposals=8, episodes=2, evolution=evolution), tools)
    assert len(state.candidates) == 8
    assert any(record.parent is not None for record in state.candidates)
    assert state.population[-1].origin == "evolved"
    database = state.iterations[0].evolution
    assert database is not None
    assert {elite.island for elite in database.elites} == {0, 1}
