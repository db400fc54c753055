"""Train on 33 bots, hold out 10: fixed splits whose report keeps the two apart."""

from __future__ import annotations

import pytest

from games.players import BotPlayer
from games.registry import get_game
from oracles.config import ConfigError, RunConfig
from oracles.held_out import held_out_scores
from oracles.loop import fold
from oracles.population import initial_population, trained_against
from oracles.splits import HELD_OUT, SPLITS, TRAINED_AGAINST, training_bots
from tests.oracles.test_held_out import Answers

RRPS = get_game("rrps", {})
NAMES = list(RRPS.evaluation_population())
FIRST_HELD_OUT = [
    *("adddriftbot2", "antiflatbot", "iocainebot", "markov5", "markovbails"),
    *("mixed_strategy", "r226bot", "randbot", "rockbot", "sweetrock"),
]
"""Of split 0."""


def config(**choices: object) -> RunConfig:
    return RunConfig.from_json({"game": "rrps", **choices})


def test_every_split_trains_on_33_and_holds_out_10_and_no_two_are_the_same() -> None:
    found = {tuple(training_bots(RRPS, split)) for split in range(SPLITS)}
    assert len(found) == SPLITS == 50
    for bots in found:
        assert len(set(bots)) == len(bots) == TRAINED_AGAINST
        assert len(set(NAMES) - set(bots)) == HELD_OUT
        assert [name for name in NAMES if name in bots] == list(bots)
    held_out = [name for bots in found for name in NAMES if name not in bots]
    assert set(held_out) == set(NAMES)  # every bot is held out by some split


def test_a_split_is_fixed_for_good() -> None:
    held_out = [name for name in NAMES if name not in training_bots(RRPS, 0)]
    assert held_out == FIRST_HELD_OUT
    assert training_bots(RRPS, 7) == training_bots(get_game("rrps", {}), 7)


def test_the_bots_join_the_initial_population_whatever_the_runs_seed() -> None:
    population = initial_population(config(split=3, seed=1))
    own = [one.name for one in population if not isinstance(one.player, BotPlayer)]
    bots = [one.name for one in population if isinstance(one.player, BotPlayer)]
    assert own == [policy.name for policy in RRPS.initial_population()]
    assert bots == training_bots(RRPS, 3)
    assert [one.index for one in population] == list(range(len(population)))
    assert population == initial_population(config(split=3, seed=2))
    assert trained_against(config(split=3)) == set(bots)
    played = {
        (step.inputs["row"], column)
        for step in fold(config(split=3), {}).pending
        for column in step.inputs["columns"]
    }
    assert len(played) == len(population) * (len(population) - 1) // 2


def test_the_figures_are_those_of_the_ten_and_the_33_are_told_apart() -> None:
    chosen = config(split=3, writer="replay", recording="1")
    score = held_out_scores(chosen, Answers(), final=[1.0], best=0, last=None)[0]
    fresh = [one.name for one in score.opponents if not one.seen]
    assert len(score.opponents) == 43
    assert set(fresh) == set(NAMES) - set(training_bots(RRPS, 3))
    assert score.pop_return.episodes == 2 * HELD_OUT
    assert score.seen is not None
    assert score.seen.pop_return.episodes == 2 * TRAINED_AGAINST


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"split": 50}, "from 0 to 49"),
        ({"game": "leduc", "split": 0}, "split is 0; leduc has no 43 bots"),
        ({"split": 1, "initial": ["bot:rockbot"]}, "a split chooses the bots itself"),
        ({"split": 1, "oracle": "cfr"}, "cfr trains against nobody"),
    ],
)
def test_what_cannot_be_split_is_said(choices: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        config(**choices)
