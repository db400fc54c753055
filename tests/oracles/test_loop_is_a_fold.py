"""A run is nothing but its configuration and its step results, in whatever order they came."""

from __future__ import annotations

import json
import random

from games.local_engine import LocalEngine
from games.match import MatchSpec
from oracles.loop import MemoryMatchStore, Tools, execute, fold, summary_json
from oracles.steps import StepResult
from tests.oracles.conftest import RECORDING, FinishedRun, recorded


class CountingStore(MemoryMatchStore):
    """Counts what had to be played."""

    def __init__(self) -> None:
        super().__init__()
        self.played = 0

    def put(self, results):  # type: ignore[no-untyped-def]
        self.played += len(results)
        super().put(results)


def test_order_of_results_does_not_matter(finished: FinishedRun) -> None:
    shuffled = list(finished.results.items())
    random.Random(3).shuffle(shuffled)
    assert fold(finished.config, dict(shuffled)) == finished.state


def test_results_survive_storage_as_json(finished: FinishedRun) -> None:
    stored = json.loads(json.dumps(finished.results))
    assert fold(finished.config, stored) == finished.state


def test_every_prefix_asks_for_the_rest_and_repeats_nothing(finished: FinishedRun) -> None:
    done: dict[str, StepResult] = {}
    for key in finished.order:
        state = fold(finished.config, done)
        pending = [step.key for step in state.pending]
        assert key in pending
        assert not set(pending) & set(done)
        assert len(pending) == len(set(pending))
        assert state.steps_done == len(done)
        assert not state.finished
        done[key] = finished.results[key]
    assert fold(finished.config, done).pending == ()


def test_what_was_known_stays_so(finished: FinishedRun) -> None:
    done: dict[str, StepResult] = {}
    before = fold(finished.config, done)
    for key in finished.order:
        done[key] = finished.results[key]
        after = fold(finished.config, done)
        assert [p.player for p in before.population] == [
            p.player for p in after.population[: len(before.population)]
        ]
        assert [c.key for c in before.candidates] == [
            c.key for c in after.candidates[: len(before.candidates)]
        ]
        assert {(c.row, c.column) for c in before.cells} <= {(c.row, c.column) for c in after.cells}
        before = after


def test_another_order_of_work_gives_the_same_numbers(
    finished: FinishedRun, engine: LocalEngine
) -> None:
    tools = Tools(engine=engine, writers=recorded(RECORDING), matches=finished.store)
    results: dict[str, StepResult] = {}
    state = fold(finished.config, results)
    while not state.finished:
        step = state.pending[-1]
        results[step.key] = execute(finished.config, state, step, tools)
        state = fold(finished.config, results)
    assert list(results) != finished.order
    assert state == finished.state


def test_matches_in_the_store_are_not_played_again(
    finished: FinishedRun, engine: LocalEngine
) -> None:
    store = CountingStore()
    tools = Tools(engine=engine, writers=recorded(RECORDING), matches=store)
    state = fold(finished.config, {})
    first = [execute(finished.config, state, state.pending[0], tools) for _ in range(2)]
    assert first[0] == first[1] == finished.results[state.pending[0].key]
    assert store.played == 1


def test_unknown_results_are_ignored(finished: FinishedRun) -> None:
    more = {**finished.results, "it9/row/0": {"matches": []}}
    assert fold(finished.config, more) == finished.state


def test_step_seeds_differ_between_runs_but_not_between_repetitions(
    finished: FinishedRun, engine: LocalEngine
) -> None:
    seeds = {
        match["seed"] for result in finished.results.values() for match in result.get("matches", ())
    }
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert len(seeds) > 40
    spec = MatchSpec(
        game="rrps",
        a=finished.state.population[1].player,
        b=finished.state.population[0].player,
        episodes=3,
        seed=finished.state.cells[0].seed,
    )
    assert spec.key(engine.level) == finished.state.cells[0].match_key


def test_summary_has_the_keys_of_the_contract(finished: FinishedRun) -> None:
    summary = summary_json(finished.config, finished.state, run=3, seconds=1.5)
    assert set(summary) == {
        "run", "game", "game_params", "oracle", "writer", "seed", "sandbox_level",
        "iterations", "mixture_quality", "final_mixture",
        "best_policy", "last_policy", "agent", "exact", "model_calls", "tokens", "usd", "seconds",
    }  # fmt: skip
    assert set(summary["iterations"][0]) == {"index", "policy", "sigma", "quality", "gain"}
    assert set(summary["final_mixture"]) == {
        "pop_return",
        "pop_expl",
        "agg_score",
        "untuned",
        "seen",
    }
    assert set(summary["best_policy"]) == {
        "sha256", "path", "pop_return", "pop_expl", "agg_score", "untuned", "seen",
    }  # fmt: skip
    assert json.loads(json.dumps(summary)) == summary


ASKED = """
attempt2/write attempt2/smoke attempt3/write attempt3/smoke attempt3/score/0
attempt4/write attempt5/write attempt5/smoke attempt5/score/0 row/0
"""
SEEDS = {
    "it1/attempt3/smoke": [2919420792392507691],
    "it1/attempt5/score/0": [6381574619614434260],
    "it1/row/0": [3345047438967841488, 5945911340832853285, 2513928900471016044],
    "it2/attempt5/score/0": [5999362643421859024],
}


def test_one_proposal_at_a_time_asks_for_the_steps_and_seeds_it_always_did(
    finished: FinishedRun,
) -> None:
    """Stored runs go on only while the keys and seeds of their steps stay what they were."""
    first = [key for key in finished.order if key.startswith("it1/")]
    asked = [f"it1/{name}" for name in ("solve attempt1/write" + ASKED).split()]
    assert first == asked
    for key, seeds in SEEDS.items():
        assert [match["seed"] for match in finished.results[key]["matches"]] == seeds
