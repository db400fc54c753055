"""How a policy plays is counted as it plays, and told as figures between known bounds."""

from __future__ import annotations

import pytest

from games.behaviour import behaviour, bin_of
from games.local_engine import LocalEngine
from games.match import MatchResult, MatchSpec
from games.players import BotPlayer, CodePlayer, MixturePlayer
from games.registry import get_game
from games.rrps import AXES

ROCK = CodePlayer('class Policy:\n    """Rock."""\n    def act(self, obs):\n        return 0\n')
CYCLE = CodePlayer(
    'class Policy:\n    """In turn."""\n    def act(self, obs):\n        return obs["throw"] % 3\n'
)


def play(engine: LocalEngine, game: str, a: object, b: object, episodes: int = 3) -> MatchResult:
    (result,) = engine.play([MatchSpec(game, a, b, episodes, 1, batch_size=2)])  # type: ignore[arg-type]
    return result


def test_throws_and_repetitions_after_wins_are_counted(engine: LocalEngine) -> None:
    result = play(engine, "rrps", ROCK, CYCLE)
    assert result.a.tally == {
        "Rock": 3000, "Paper": 0, "Scissors": 0, "after wins": 999, "repeated after wins": 999,
    }  # fmt: skip
    assert result.b.tally == {
        "Rock": 1002, "Paper": 999, "Scissors": 999, "after wins": 999, "repeated after wins": 0,
    }  # fmt: skip
    assert behaviour(AXES, [result.a.tally]) == (0.0, 1.0)
    throws, repetition = behaviour(AXES, [result.b.tally])
    assert throws == pytest.approx(1.585, abs=0.001)
    assert repetition == 0.0


def test_every_hand_and_action_is_counted_for_the_side_that_took_it(engine: LocalEngine) -> None:
    result = play(engine, "leduc", BotPlayer("always_raise"), BotPlayer("always_fold"))
    assert result.a.tally is not None
    assert result.b.tally is not None
    assert result.a.tally["hands"] == result.b.tally["hands"] == 2 * 3 * 100
    assert result.a.tally["folds"] == 0
    assert result.b.tally == {"hands": 600, "folds": 600, "calls": 300, "raises": 0}
    axes = get_game("leduc").behaviour_axes()
    assert behaviour(axes, [result.a.tally]) == (1.0, 1.0)
    assert behaviour(axes, [result.b.tally]) == (0.0, 0.0)


def test_the_components_of_a_mixture_are_counted_together(engine: LocalEngine) -> None:
    mixture = MixturePlayer(((0.5, ROCK), (0.5, CYCLE)))
    result = play(engine, "rrps", mixture, BotPlayer("randbot"), episodes=6)
    assert result.a.tally is not None
    assert sum(result.a.tally[name] for name in ("Rock", "Paper", "Scissors")) == 6000


def test_a_match_stored_before_anything_was_counted_is_unknown(engine: LocalEngine) -> None:
    data = play(engine, "rrps", ROCK, CYCLE).to_json()
    assert MatchResult.from_json(data).to_json() == data
    for side in ("a", "b"):
        del data[side]["tally"]
    old = MatchResult.from_json(data)
    assert old.a.tally is None
    assert behaviour(AXES, [old.a.tally, {"Rock": 1}]) == (None, None)


def test_nothing_to_measure_is_unknown_and_its_bin_too() -> None:
    tally = {"Rock": 5, "Paper": 0, "Scissors": 0, "after wins": 0, "repeated after wins": 0}
    assert behaviour(AXES, [tally]) == (0.0, None)
    assert bin_of(AXES[1], None, 5) is None
    assert [bin_of(AXES[1], value, 5) for value in (0.0, 0.2, 0.99, 1.0)] == [0, 1, 4, 4]
