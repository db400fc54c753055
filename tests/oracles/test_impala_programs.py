"""A network as a program: it sees what it saw in training, and plays in the sandbox like others."""

from __future__ import annotations

import ast
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from games.base import Game
from games.local_engine import LocalEngine
from games.match import MatchSpec
from games.players import BotPlayer, CodePlayer
from games.registry import get_game
from games.seeds import Stream, episode_seed
from games.table import Seating
from games.views import leduc_view, rrps_view
from oracles.baselines.impala.messages import messages_of
from oracles.baselines.impala.observers import leduc, rrps
from oracles.baselines.impala.player import Network, decoded, probabilities
from oracles.baselines.impala.program import base85, program
from oracles.checks import check_program

VIEWS = {"rrps": (rrps_view, rrps), "leduc": (leduc_view, leduc)}
FEATURES = {"rrps": rrps.FEATURES, "leduc": leduc.FEATURES}


def weights(game: Game, hidden: int, seed: int = 1) -> Any:
    count = 4 * hidden * (FEATURES[game.name] + hidden + 1) + 4 * (hidden + 1)
    return np.random.default_rng(seed).normal(0, 0.3, count).astype(np.float32)


@pytest.mark.parametrize("count", [1, 2, 7, 1000])
def test_weights_survive_their_text_to_the_precision_of_float16(count: int) -> None:
    numbers = np.random.default_rng(count).normal(0, 2, count).astype(np.float32)
    again = decoded(base85(numbers))[:count]
    assert again.tolist() == numbers.astype(np.float16).astype(np.float32).tolist()


@pytest.mark.parametrize("name", ["rrps", "leduc"])
@pytest.mark.parametrize("hidden", [8, 256])
def test_a_network_plays_in_the_sandbox_without_faults(
    name: str, hidden: int, engine: LocalEngine
) -> None:
    game = get_game(name)
    source = program(game, weights(game, hidden), hidden=hidden, frames=1000)
    assert check_program(ast.parse(source)) is None
    assert "black box" in source.split("\n", 1)[0]
    assert max(len(line) for line in source.split("\n")) <= 100
    opponent = BotPlayer(game.evaluation_population()[0])
    spec = MatchSpec(name, CodePlayer(source), opponent, episodes=2, seed=3)
    first, again = engine.play([spec])[0], engine.play([spec])[0]
    assert first.a.total == 0, first.a.tracebacks
    assert first.payoffs == again.payoffs


class Both:
    """A side that draws legal actions, and compares what training sees with what a program sees."""

    def __init__(self, game: Game, seat: int, seeds: Sequence[int]) -> None:
        view, observer = VIEWS[game.name]
        self.messages, self.seat, self.first = messages_of(game), seat, True
        self.view: Any = view.make_view(game.view_setup(seat, seeds))
        self.seen: list[list[float]] = []
        self.observers = [observer.Observer() for _ in seeds]
        self.view.start(lambda i, *_: self.chooser(i))
        self.generator = np.random.default_rng(seat)
        self.paid = np.zeros(len(seeds))
        self.totals = [0.0] * len(seeds)
        self.reply = b""

    def chooser(self, episode: int) -> Any:
        def act(obs: dict[str, Any]) -> int:
            self.seen.append(self.observers[episode].features(obs))
            self.totals[episode] = obs.get("my_score", obs.get("my_total"))
            return int(self.generator.choice(obs["legal_actions"]))

        return act

    def send(self, message: bytes, decisions: int) -> None:
        reply = array("i", [0] * decisions)
        self.seen = []
        self.view.run(memoryview(message), reply)
        told = self.messages.read(message, seat=self.seat, first=self.first)
        self.first = False
        assert told.features.tolist() == np.array(self.seen, dtype=np.float32).tolist()
        self.paid[told.episodes] += told.rewards
        assert self.paid.tolist() == self.totals
        actions = [np.flatnonzero(row)[index] for row, index in zip(told.legal, reply, strict=True)]
        self.reply = self.messages.reply(np.array(actions), told.legal)
        assert list(self.reply) == list(reply)

    def receive(self) -> bytes:
        return self.reply

    def violate(self, reply: int) -> int:
        raise AssertionError(f"{reply} is beyond the legal actions")


@pytest.mark.parametrize(
    ("name", "params"), [("rrps", {}), ("leduc", {}), ("leduc", {"reveal": "always"})]
)
def test_training_and_program_see_the_same_and_count_the_same_payoffs(
    name: str, params: dict[str, str]
) -> None:
    game = get_game(name, params)
    seeds = [episode_seed(5, episode, Stream.CHANCE) for episode in range(3)]
    sides = Both(game, 0, seeds), Both(game, 1, seeds)
    outcome = game.play_batch(Seating(sides, seeds))
    assert outcome.decisions > 600


def test_actions_that_are_not_legal_have_no_probability() -> None:
    game = get_game("leduc")
    network = Network(weights(game, 8), leduc.FEATURES, 8, 3)
    inputs = np.random.default_rng(2).random((5, leduc.FEATURES), dtype=np.float32)
    hidden = cell = np.zeros((5, 8), dtype=np.float32)
    _, _, output = network.step(inputs, hidden, cell)
    legal = np.array([[True, False, True]] * 5)
    chances = probabilities(output[:, :3] * 1000, legal)
    assert (chances[:, 1] == 0).all()
    assert chances.sum(axis=1) == pytest.approx([1.0] * 5)
