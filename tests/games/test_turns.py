"""One decision at a time, the episode is the one that a match would play."""

from __future__ import annotations

from typing import Any

import pytest

from games.base import GameError
from games.engine import EngineError
from games.local_engine import LocalEngine
from games.match import MatchSpec
from games.players import BotPlayer, CodePlayer
from games.registry import get_game
from games.turns import Ended, TurnByTurn

SOURCES = {
    "rrps": """class Policy:
    def act(self, obs):
        theirs = obs["opponent_actions"]
        return (theirs[-1] + 1) % 3 if theirs else 0
""",
    "leduc": """class Policy:
    def act(self, obs):
        if obs["my_card"] == 2 and 2 in obs["legal_actions"]:
            return 2
        return 0 if obs["my_card"] == 0 and obs["legal_actions"][0] == 0 else 1
""",
}


def policy_of(game: str) -> Any:
    space: dict[str, Any] = {}
    exec(SOURCES[game], space)
    return space["Policy"]()


def played(game: str, bot: str, seat: int, seed: int) -> float:
    policy = policy_of(game)
    with TurnByTurn(get_game(game, {}), bot, seat=seat, seed=seed, episode=0) as episode:
        while not isinstance(seen := episode.next(), Ended):
            episode.decide(policy.act(seen))
        return seen.payoff


@pytest.mark.parametrize(
    ("game", "bot"),
    [("rrps", "switchbot"), ("rrps", "greenberg"), ("leduc", "uniform"), ("leduc", "always_call")],
)
def test_it_gives_the_payoff_of_the_match_on_the_same_seed(game: str, bot: str) -> None:
    spec = MatchSpec(game=game, a=CodePlayer(SOURCES[game]), b=BotPlayer(bot), episodes=1, seed=9)
    with LocalEngine() as engine:
        (match,) = engine.play([spec])
    seats = (0,) if game == "rrps" else (0, 1)
    payoffs = [played(game, bot, seat, 9) for seat in seats]
    assert sum(payoffs) / len(payoffs) == pytest.approx(match.payoffs[0])


@pytest.mark.parametrize("bot", ["greenberg", "iocainebot"])
def test_an_episode_may_be_left_after_a_few_throws(bot: str) -> None:
    with TurnByTurn(get_game("rrps", {}), bot, seat=0, seed=1, episode=0) as episode:
        for throw in range(5):
            seen = episode.next()
            assert not isinstance(seen, Ended)
            assert (seen["throw"], seen["num_throws"]) == (throw, 1000)
            episode.decide(0)
        process = episode._process
    assert process.poll() is not None


def test_a_forfeited_throw_is_lost_as_for_any_policy() -> None:
    with TurnByTurn(get_game("rrps", {}), "rockbot", seat=0, seed=1, episode=0) as episode:
        episode.next()
        episode.decide(None)
        seen = episode.next()
        assert not isinstance(seen, Ended)
        assert (seen["opponent_actions"], seen["my_actions"], seen["my_score"]) == ([0], [2], -1)


def test_what_cannot_be_is_said() -> None:
    game = get_game("leduc", {})
    with pytest.raises(GameError, match="nobody"):
        TurnByTurn(game, "nobody", seat=0, seed=1, episode=0)
    with TurnByTurn(game, "uniform", seat=0, seed=1, episode=0) as episode:
        episode.next()
        with pytest.raises(ValueError):
            episode.decide(7)
        episode._process.kill()
        with pytest.raises(EngineError, match="died"):
            episode.next()
