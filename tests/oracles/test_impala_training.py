"""Training: it learns, repeats itself, can be ended, and runs no opponent's program itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from games.engine import EngineError, MatchCancelled
from games.local_engine import LocalEngine
from games.match import MatchSpec
from games.players import BotPlayer, CodePlayer, MixturePlayer
from games.registry import get_game
from oracles.baselines import impala
from oracles.baselines.impala.player import Network
from oracles.baselines.impala.step import train_step
from oracles.baselines.impala.task import Task, train
from oracles.config import RunConfig
from oracles.loop import MemoryMatchStore, Tools, solve_in_memory, summary_json
from oracles.options import Impala
from oracles.writers import LazyWriters

needs_torch = pytest.mark.needs("torch")
QUICK = Impala(frames=8_000, hidden=16, environments=8, learning_rate=3e-3)


def against(*players: CodePlayer | BotPlayer, game: str = "rrps", **changes: Any) -> Task:
    mixture = MixturePlayer(tuple((1 / len(players), player) for player in players))
    return Task(get_game(game), mixture, replace(QUICK, **changes), seed=4)


@needs_torch
def test_it_learns_to_beat_a_bot_that_anyone_beats(engine: LocalEngine) -> None:
    trained = train(against(BotPlayer("rockbot"), frames=48_000), required=engine.level)
    returns = [point["mean_return"] for point in trained["curve"]]
    assert trained["frames"] == trained["curve"][-1]["frames"] >= 48_000
    assert trained["episodes"] == trained["frames"] / 1000
    assert returns[-1] > 500 > abs(returns[0])
    spec = MatchSpec("rrps", CodePlayer(trained["source"]), BotPlayer("rockbot"), 4, seed=1)
    (match,) = engine.play([spec])
    assert match.mean > 500, "the program plays as the network did"


@needs_torch
@pytest.mark.parametrize("game", ["rrps", "leduc"])
def test_the_same_training_gives_the_same_program(game: str, engine: LocalEngine) -> None:
    opponents = [CodePlayer(policy.source) for policy in get_game(game).initial_population()[:2]]
    task = against(*opponents, game=game, frames=3_000)
    first, again = (train(task, required=engine.level) for _ in range(2))
    other = train(replace(task, seed=5), required=engine.level)
    assert first["source"] == again["source"] != other["source"]
    assert first["curve"] == again["curve"]


DIES = '''
import ctypes
class Policy:
    """Tries to take its host down."""
    def act(self, obs):
        ctypes.string_at(0)
        return 0
'''
RAISES = '''
class Policy:
    """Looks for the trainer in its own process, and gives up when it is not there."""
    def act(self, obs):
        frames = [f for f in ().__class__.__base__.__subclasses__() if "torch" in f.__module__]
        return frames[0]
'''
ENDLESS = '''
class Policy:
    """Never answers."""
    def act(self, obs):
        while True:
            pass
'''


@needs_torch
@pytest.mark.parametrize("source", [DIES, RAISES, ENDLESS], ids=["dies", "raises", "endless"])
def test_a_hostile_opponent_forfeits_and_the_training_goes_on(
    source: str, engine: LocalEngine
) -> None:
    trained = train(
        against(CodePlayer(source), BotPlayer("rockbot"), frames=8_000), required=engine.level
    )
    assert trained["frames"] == 8_000
    assert trained["forfeits"] >= 1000, "every decision of its episodes"


@needs_torch
def test_stopping_drops_the_training_at_once(engine: LocalEngine) -> None:
    task = against(BotPlayer("rockbot"), frames=10**9)
    begun = time.monotonic()
    with pytest.raises(MatchCancelled):
        train(task, required=engine.level, should_stop=lambda: time.monotonic() - begun > 5)
    assert time.monotonic() - begun < 15


@needs_torch
def test_a_spent_budget_keeps_what_was_trained(engine: LocalEngine) -> None:
    begun = time.monotonic()
    result = train_step(
        against(BotPlayer("rockbot"), frames=10**9),
        level=engine.level,
        should_stop=None,
        exhausted=lambda: "the time is up" if time.monotonic() - begun > 5 else None,
    )
    training = result["training"]
    assert training["ended_early"] == "the time is up"
    assert 0 < training["frames"] < 10**9
    assert training["curve"][-1]["frames"] == training["frames"]
    assert result["extraction"]["accepted"]


def test_nothing_is_trained_once_nothing_may_be_proposed(engine: LocalEngine) -> None:
    result = train_step(
        against(BotPlayer("rockbot")), level=engine.level, should_stop=None,
        exhausted=lambda: "the time is up",
    )  # fmt: skip
    assert result == {"exhausted": "the time is up"}


def test_without_pytorch_one_line_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, engine: LocalEngine
) -> None:
    monkeypatch.setattr(impala, "find_spec", lambda name: None)
    with pytest.raises(EngineError, match=r"pip install -r requirements-impala\.txt"):
        train(against(BotPlayer("rockbot")), required=engine.level)


@needs_torch
def test_a_training_that_diverges_says_what_to_change() -> None:
    from oracles.baselines.impala.learner import Learner, Unrolls

    learner = Learner(inputs=1, hidden=2, actions=3, learning_rate=1.0, entropy=0.0, seed=2)
    ones = np.ones((1, 1), dtype=np.float32)
    state = np.zeros((1, 2), dtype=np.float32)
    features, legal = np.ones((2, 1, 1), dtype=np.float32), np.ones((2, 1, 3), dtype=np.bool_)
    rewards = np.full((1, 1), np.inf, dtype=np.float32)
    with pytest.raises(FloatingPointError, match="smaller learning_rate"):
        learner.update(
            Unrolls(features, legal, np.zeros((1, 1), dtype=np.int64), ones * 0, rewards, ones,
                    ones, state, state),
            progress=0.0,
        )  # fmt: skip


@needs_torch
def test_acting_and_learning_compute_the_same_network() -> None:
    from oracles.baselines.impala.learner import Learner, Unrolls

    learner = Learner(inputs=5, hidden=7, actions=3, learning_rate=1e-3, entropy=0.01, seed=2)
    generator = np.random.default_rng(1)
    features = generator.random((4, 6, 5), dtype=np.float32)
    legal = np.ones((4, 6, 3), dtype=np.bool_)
    zeros = np.zeros((3, 6), dtype=np.float32)
    state = np.zeros((6, 7), dtype=np.float32)
    logits, values = learner._evaluate(
        Unrolls(features, legal, zeros.astype(np.int64), zeros, zeros, zeros, zeros, state, state)
    )
    network: Network = learner.actor()
    hidden = cell = state
    for step in range(4):
        hidden, cell, output = network.step(features[step], hidden, cell)
        assert output[:, 3] == pytest.approx(values[step].detach().numpy(), abs=1e-5)
        if step < 3:
            assert output[:, :3] == pytest.approx(logits[step].detach().numpy(), abs=1e-5)


@needs_torch
def test_a_run_trains_scores_and_adds_a_black_box(engine: LocalEngine) -> None:
    config = RunConfig.from_json(
        {
            "game": "leduc",
            "oracle": "impala",
            "iterations": 2,
            "episodes": 2,
            "evaluation_episodes": 2,
            "impala": {"frames": 4000, "hidden": 8, "environments": 8},
        }
    )
    labels: list[str] = []
    note: Callable[..., None] = lambda step, result, state: labels.append(step.label)  # noqa: E731
    tools = Tools(engine=engine, writers=LazyWriters(), matches=MemoryMatchStore())
    state = solve_in_memory(config, tools, note)
    assert [policy.origin for policy in state.population[-2:]] == ["trained", "trained"]
    assert state.usage.model_calls == 0
    assert sum("training a network" in label for label in labels) == 2
    told = summary_json(config, state)["iterations"]
    assert [one["training"]["frames"] >= 4000 for one in told] == [True, True]
    assert {"frames", "mean_return", "entropy", "loss"} == set(told[0]["training"]["curve"][0])
