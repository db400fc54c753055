"""Excerpts say where most was lost, with nothing that the policy could not see."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from games.base import LONGEST_EXCERPT
from games.excerpts import costliest_throws
from games.local_engine import LocalEngine
from games.match import MatchSpec
from games.players import BotPlayer, CodePlayer
from games.registry import get_game
from games.replay import Episode, record_episode, record_match

ALWAYS_FIRST = '''class Policy:
    """Plays the first legal action."""

    def act(self, obs):
        return obs["legal_actions"][0]
'''
RAISER = ALWAYS_FIRST.replace("[0]", "[-1]")


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    with LocalEngine() as local:
        yield local


def hand(cards: list[int], public: int, betting: list[list[int]], payoff: int) -> dict[str, object]:
    return {"cards": cards, "public_card": public, "betting": betting, "payoff": payoff}


def test_the_costliest_stretch_of_throws_is_found() -> None:
    own, other = [0] * 1000, [0] * 1000
    other[400:424] = [1] * 24
    other[10:20] = [1] * 10
    other[800:900] = [2] * 100
    text = costliest_throws({"throws": own, "opponent_throws": other})
    assert "100 throws won, 866 tied, 34 lost, +66" in text
    assert "Its throws: R 100 %, P 0 %, S 0 %." in text
    assert f"Throws 401 to 424, where it lost most (-24):\nown     {'R' * 24}" in text
    assert f"theirs  {'P' * 24}" in text


def test_hands_are_told_from_the_policys_seat_and_hide_what_it_did_not_see() -> None:
    folded = hand([0, 2], -1, [[2, 2, 0]], -3)
    shown = hand([1, 2], 0, [[1, 1], [1, 2, 1]], -5)
    won = hand([2, 0], 2, [[2, 1], [2, 1]], 7)
    plays = [
        Episode(0, False, "a", "b", -1.0, [folded, shown, won]),
        Episode(0, True, "a", "b", 1.0, [folded, shown, won]),
    ]
    text = get_game("leduc", {}).excerpt(plays)
    assert text.split("\n") == [
        "Whole episode: -1 in seat 0, +1 in seat 1. The hands that cost most:",
        "Hand 3 in seat 1: -7 chips.",
        "  own card Jack, opponent's King, public card King",
        "  round 1: opponent raises, it calls",
        "  round 2: opponent raises, it calls",
        "Hand 2 in seat 0: -5 chips.",
        "  own card Queen, opponent's King, public card Jack",
        "  round 1: it checks, opponent checks",
        "  round 2: it checks, opponent raises, it calls",
        "Hand 1 in seat 0: -3 chips.",
        "  own card Jack, opponent's not shown, public card not reached",
        "  round 1: it raises, opponent raises, it folds",
    ]
    assert "opponent's King, public card not reached" in get_game(
        "leduc", {"reveal": "always"}
    ).excerpt(plays)


@pytest.mark.parametrize(("game", "bot"), [("rrps", "rockbot"), ("leduc", "cfr_plus")])
def test_one_episode_replayed_is_the_episode_of_the_match(
    engine: LocalEngine, game: str, bot: str
) -> None:
    spec = MatchSpec(game=game, a=CodePlayer(RAISER), b=BotPlayer(bot), episodes=4, seed=5)
    whole = record_match(engine, spec)
    assert record_episode(engine, spec, 2) == tuple(e for e in whole.episodes if e.index == 2)


@pytest.mark.parametrize("game", ["rrps", "leduc"])
def test_an_excerpt_is_short_whatever_was_played(engine: LocalEngine, game: str) -> None:
    for seed in random.Random(1).sample(range(10**6), 3):
        spec = MatchSpec(
            game=game, a=CodePlayer(ALWAYS_FIRST), b=CodePlayer(RAISER), episodes=1, seed=seed
        )
        text = get_game(game, {}).excerpt(record_episode(engine, spec, 0))
        assert 0 < len(text) <= LONGEST_EXCERPT
