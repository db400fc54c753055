"""Repeated Leduc Hold'em: 100 hands of the smallest game that is still poker."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from games.base import BotInfo, Game, GameError
from games.behaviour import Axis, Tally, share
from games.excerpts import costliest_hands
from games.leduc_dealer import play_hands
from games.leduc_tree import view_tables
from games.table import Outcome, Seating

if TYPE_CHECKING:
    from games.replay import Episode
    from games.table import Side

NUM_HANDS = 100
MOST_CHIPS = 13
"""That a player can lose in a hand: the ante, two raises of 2 and two of 4."""
REVEALS = ("showdown", "always")

_BOTS = {
    "cfr_plus": "Tabular CFR+ after 10,000 iterations: an equilibrium of the single hand.",
    "always_call": "Never folds, never raises.",
    "always_fold": "Folds to every bet, checks when checking is free.",
    "always_raise": "Raises whenever it may, else calls.",
    "uniform": "Each legal action with the same probability.",
}


def _aggression(tally: Tally) -> float | None:
    return share(tally["raises"], tally["raises"] + tally["calls"])


def _looseness(tally: Tally) -> float | None:
    return share(tally["hands"] - tally["folds"], tally["hands"])


AXES = (
    Axis("aggression", "Raises among its raises, calls and checks.", 0.0, 1.0, _aggression),
    Axis("looseness", "Share of its hands that it does not fold.", 0.0, 1.0, _looseness),
)


class Leduc(Game):
    """``repeated_leduc_poker(num_hands=100)`` of OpenSpiel, seats averaged."""

    name: ClassVar[str] = "leduc"
    title: ClassVar[str] = "Repeated Leduc Hold'em"
    payoff_unit: ClassVar[str] = "chips per 100 hands, seats averaged"
    seats_symmetric: ClassVar[bool] = False
    stochastic_chance: ClassVar[bool] = True
    largest_payoff: ClassVar[float] = float(NUM_HANDS * MOST_CHIPS)
    fixed_bots: ClassVar[frozenset[str]] = frozenset({"always_call", "always_fold", "always_raise"})

    @classmethod
    def default_params(cls) -> dict[str, Any]:
        return {"reveal": "showdown"}

    @classmethod
    def validate_params(cls, params: Mapping[str, Any]) -> dict[str, Any]:
        unknown = sorted(set(params) - {"reveal"})
        if unknown:
            raise GameError(f"leduc has no parameter {', '.join(unknown)}; it has: reveal")
        reveal = params.get("reveal", "showdown")
        if reveal not in REVEALS:
            raise GameError(f"reveal must be one of {', '.join(REVEALS)}, got {reveal!r}")
        return {"reveal": reveal}

    def rules(self) -> str:
        seen = (
            "The opponent's private card is shown only at a showdown."
            if self.params["reveal"] == "showdown"
            else "Both private cards are shown after every hand, even after a fold."
        )
        return (
            "Six cards: two Jacks (0), two Queens (1), two Kings (2). Both players ante 1 chip and "
            "get one private card. A first betting round follows, then one public card is turned, "
            "then a second betting round. Player 0 acts first in both rounds of every hand. Raises "
            "are 2 chips in round one and 4 in round two, at most two a round. Folding is possible "
            "only when facing a bet. At the showdown a private card that pairs the public card "
            "wins, else the higher card; equal cards split the pot. "
            f"{seen} An episode is {NUM_HANDS} hands with fresh cards each; the payoff is the sum "
            "of chips won. Every episode is played twice on the same cards with the seats swapped, "
            "and the two payoffs are averaged. A forfeited decision (an exception, an illegal "
            "answer, a policy that died) folds, or checks when checking is free."
        )

    def policy_api(self) -> str:
        return _API.format(observation=json.dumps(self.example_observation(), indent=4))

    def example_observation(self) -> dict[str, Any]:
        return {
            "player": 1,
            "hand": 2,
            "num_hands": NUM_HANDS,
            "round": 2,
            "my_card": 1,
            "public_card": 0,
            "pot": 10,
            "my_bet": 3,
            "opponent_bet": 7,
            "betting": [[2, 1], [2]],
            "legal_actions": [0, 1, 2],
            "action_names": ["Fold", "Call", "Raise"],
            "past_hands": [
                {
                    "my_card": 2,
                    "opponent_card": -1 if self.params["reveal"] == "showdown" else 0,
                    "public_card": -1,
                    "betting": [[1, 2, 0], []],
                    "payoff": 1,
                    "ended": "opponent fold",
                },
                {
                    "my_card": 0,
                    "opponent_card": 2,
                    "public_card": 1,
                    "betting": [[1, 1], [2, 1]],
                    "payoff": -5,
                    "ended": "showdown",
                },
            ],
            "my_total": -4,
        }

    def game_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "num_hands": NUM_HANDS,
            "reveal": self.params["reveal"],
            "num_cards": 6,
            "ranks": ["Jack", "Queen", "King"],
            "ante": 1,
            "raise_sizes": [2, 4],
            "max_raises": 2,
        }

    def view_setup(self, player: int, seeds: Sequence[int]) -> dict[str, Any]:
        return {
            "player": player,
            "seeds": list(seeds),
            "game": self.game_dict(),
            "tables": view_tables(),
        }

    def behaviour_axes(self) -> Sequence[Axis]:
        return AXES

    def bots(self) -> Sequence[BotInfo]:
        return [BotInfo(name, summary) for name, summary in _BOTS.items()]

    def evaluation_population(self) -> Sequence[str]:
        return ["cfr_plus", "always_call", "always_fold"]

    def bot_side(self, name: str, player: int, seeds: Sequence[int]) -> Side:
        from games.bots.leduc import TabularSide, strategy

        self.check_bot(name)
        return TabularSide(strategy(name), seeds)

    def excerpt(self, plays: Sequence[Episode]) -> str:
        return costliest_hands(plays, reveal_always=self.params["reveal"] == "always")

    def play_batch(self, seating: Seating) -> Outcome:
        return play_hands(seating, NUM_HANDS, reveal_always=self.params["reveal"] == "always")


_API = '''A policy is a Python module with one class named Policy:

class Policy:
    """What it does and why, in words."""

    def __init__(self, player: int, num_players: int, game: dict, seed: int): ...   # optional
    def act(self, obs: dict) -> int: ...      # an element of obs["legal_actions"]

Actions are 0 = Fold, 1 = Call (Check when nothing is to be called), 2 = Raise. Cards are ranks:
0 = Jack, 1 = Queen, 2 = King; -1 stands for a card that is not seen. A fresh instance plays each
episode of 100 hands at one seat; act is called for each of its decisions. Draw random numbers from
random.Random(seed), so that the episode can be repeated. game is {{"name": "leduc",
"num_hands": 100, "reveal": "showdown" or "always", "num_cards": 6, "ranks": [...], "ante": 1,
"raise_sizes": [2, 4], "max_raises": 2}}.

obs is a plain dict:
  player         your seat; player 0 acts first in both rounds of every hand
  hand           number of this hand, 0 to 99
  num_hands      100
  round          1 before the public card, 2 after it
  my_card        rank of your card
  public_card    rank of the public card, -1 in round 1
  pot            chips of both players in the pot
  my_bet         chips you put in, ante included
  opponent_bet   chips the opponent put in
  betting        [actions of round 1, actions of round 2], alternating, player 0 first
  legal_actions  [1, 2], [0, 1, 2] or [0, 1]: folding only when facing a bet, at most two raises
  action_names   their names, in the same order
  past_hands     one dict per finished hand, oldest first: my_card, opponent_card (-1 if not
                 shown), public_card (-1 if not reached), betting, payoff (chips you won),
                 ended ("showdown", "my fold" or "opponent fold")
  my_total       chips won so far

Example, the third hand, seat 1, facing a raise in round two:
{observation}

Allowed imports: math, random, collections, itertools, functools, statistics, dataclasses, typing,
enum, heapq, bisect, copy, operator, abc, numpy. An exception or an illegal answer folds (checks
when that is free). Each decision may take 100 ms of CPU and each episode 3 s; building the
instance 2 s.
'''
