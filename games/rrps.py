"""Repeated Rock-Paper-Scissors: 1000 throws against programs that can be read like a book."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from games.base import BotInfo, Game, GameError
from games.behaviour import Axis, Tally, entropy, share
from games.bots.roshambo_names import DETERMINISTIC, SUMMARIES
from games.excerpts import costliest_throws
from games.table import Outcome, Seating, count_forfeits, signed

if TYPE_CHECKING:
    from games.replay import Episode
    from games.table import Side

NUM_THROWS = 1000
"""Throws per episode, as in the RoShamBo tournaments. The bots allow no other number safely."""

THROWS = ("Rock", "Paper", "Scissors")
_GAIN = np.array([0, -1, 1, 1, 0, -1, -1, 1, 0], dtype=np.int64)
"""By 3 * own throw + opponent's throw."""
_SWAPPED = bytes([0, 3, 6, 1, 4, 7, 2, 5, 8]).ljust(256, b"\0")
"""The same joint throw from the other side, for ``bytes.translate``."""
_LEGAL = bytes([0, 1, 2])


class Rrps(Game):
    """``repeated_game(stage_game=matrix_rps(), num_repetitions=1000, recall=1)`` of OpenSpiel."""

    name: ClassVar[str] = "rrps"
    title: ClassVar[str] = "Repeated Rock-Paper-Scissors"
    payoff_unit: ClassVar[str] = "wins minus losses over 1000 throws"
    seats_symmetric: ClassVar[bool] = True
    stochastic_chance: ClassVar[bool] = False
    largest_payoff: ClassVar[float] = float(NUM_THROWS)
    fixed_bots: ClassVar[frozenset[str]] = DETERMINISTIC

    @classmethod
    def default_params(cls) -> dict[str, Any]:
        return {}

    @classmethod
    def validate_params(cls, params: Mapping[str, Any]) -> dict[str, Any]:
        if params:
            raise GameError(f"rrps has no parameters, got {', '.join(sorted(params))}")
        return {}

    def rules(self) -> str:
        return (
            "Two players throw Rock (0), Paper (1) or Scissors (2) at the same time, 1000 times in "
            "a row. Paper beats Rock, Scissors beat Paper, Rock beats Scissors. A throw won counts "
            "+1, a throw lost -1, a tie 0; the payoff of an episode is the sum over its 1000 "
            "throws. After each throw both players see both throws. Nothing is carried over from "
            "one episode to the next. A forfeited decision (an exception, an illegal answer, a "
            "policy that died) loses its throw: it counts as the throw that the opponent's beats."
        )

    def policy_api(self) -> str:
        return _API.format(observation=json.dumps(self.example_observation(), indent=4))

    def example_observation(self) -> dict[str, Any]:
        return {
            "player": 0,
            "throw": 3,
            "num_throws": NUM_THROWS,
            "legal_actions": [0, 1, 2],
            "action_names": list(THROWS),
            "my_actions": [0, 1, 2],
            "opponent_actions": [1, 0, 2],
            "my_score": 0,
        }

    def game_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "num_throws": NUM_THROWS,
            "num_actions": 3,
            "action_names": list(THROWS),
        }

    def view_setup(self, player: int, seeds: Sequence[int]) -> dict[str, Any]:
        return {"player": player, "seeds": list(seeds), "game": self.game_dict()}

    def behaviour_axes(self) -> Sequence[Axis]:
        return AXES

    def bots(self) -> Sequence[BotInfo]:
        return [BotInfo(name, summary) for name, summary in SUMMARIES.items()]

    def evaluation_population(self) -> Sequence[str]:
        return list(SUMMARIES)

    def bot_side(self, name: str, player: int, seeds: Sequence[int]) -> Side:
        from games.bots.roshambo import RoshamboSide  # loads pyspiel: only the referee pays for it

        self.check_bot(name)
        return RoshamboSide(name, player, seeds)

    def excerpt(self, plays: Sequence[Episode]) -> str:
        return costliest_throws(plays[0].moves)

    def play_batch(self, seating: Seating) -> Outcome:
        first, second = seating.sides
        episodes = len(seating.chance_seeds)
        history: list[bytes] = []
        forfeits: tuple[dict[int, int], dict[int, int]] = ({}, {})
        message0 = message1 = bytes(episodes)
        for _ in range(NUM_THROWS):
            first.send(message0, episodes)
            second.send(message1, episodes)
            mine, theirs = first.receive(), second.receive()
            if mine.translate(None, _LEGAL) or theirs.translate(None, _LEGAL):
                mine, theirs = _settle(seating.sides, (mine, theirs), forfeits)
            # 3 * own throw + opponent's throw for the whole batch: as one long number, whose bytes
            # never carry because they stay below 9.
            codes = 3 * int.from_bytes(mine, "little") + int.from_bytes(theirs, "little")
            message0 = codes.to_bytes(episodes, "little")
            message1 = message0.translate(_SWAPPED)
            history.append(message0)
        played = np.frombuffer(b"".join(history), dtype=np.uint8).reshape(NUM_THROWS, episodes)
        return Outcome(
            payoffs=[float(payoff) for payoff in _GAIN[played].sum(axis=0)],
            decisions=2 * NUM_THROWS * episodes,
            forfeits=forfeits,
            tallies=_tallies(played),
            records=[_record(played[:, i]) for i in range(episodes)] if seating.record else None,
        )


def _settle(
    sides: tuple[Side, Side],
    replies: tuple[bytes, bytes],
    forfeits: tuple[dict[int, int], dict[int, int]],
) -> tuple[bytes, bytes]:
    """Replace each forfeited throw by the one that loses to the opponent's; count it."""
    throws = [[signed(reply) for reply in side] for side in replies]
    for seat in (0, 1):
        for i, reply in enumerate(throws[seat]):
            if reply > 2:
                throws[seat][i] = reply = sides[seat].violate(reply)
            if reply < 0:
                count_forfeits(forfeits[seat], reply)
    for i, (mine, theirs) in enumerate(zip(*throws, strict=True)):
        if mine < 0 and theirs < 0:
            throws[0][i] = throws[1][i] = 0
        elif mine < 0:
            throws[0][i] = (theirs + 2) % 3
        elif theirs < 0:
            throws[1][i] = (mine + 2) % 3
    return bytes(throws[0]), bytes(throws[1])


def _tallies(played: NDArray[np.uint8]) -> tuple[dict[str, int], dict[str, int]]:
    """Throws by name, and how many of those after a throw won repeated it, for both seats.

    ``played`` holds 3 * own throw + opponent's throw, shape (throws, episodes).
    """
    followed = played[:-1] * np.uint8(9) + played[1:]
    pairs = np.bincount(followed.ravel(), minlength=81).reshape(3, 3, 3, 3)
    last = np.bincount(played[-1], minlength=9).reshape(3, 3)
    # The second seat sees the same table with the two throws of each pair exchanged.
    return _tally(pairs, last), _tally(pairs.transpose(1, 0, 3, 2), last.T)


def _tally(pairs: NDArray[np.intp], last: NDArray[np.intp]) -> dict[str, int]:
    """``pairs`` counts by (mine, theirs, mine next, theirs next), ``last`` by (mine, theirs)."""
    throws = pairs.sum(axis=(1, 2, 3)) + last.sum(axis=1)
    after = [pairs[mine, (mine + 2) % 3].sum(axis=1) for mine in range(3)]
    return {
        **{name: int(count) for name, count in zip(THROWS, throws, strict=True)},
        "after wins": int(sum(nexts.sum() for nexts in after)),
        "repeated after wins": int(sum(nexts[mine] for mine, nexts in enumerate(after))),
    }


def _throw_entropy(tally: Tally) -> float | None:
    return entropy([tally[name] for name in THROWS])


def _repetition(tally: Tally) -> float | None:
    return share(tally["repeated after wins"], tally["after wins"])


AXES = (
    Axis(
        "throw entropy",
        "Entropy in bits of its own throws in a match: 0 always throws the same, 1.58 throws all"
        " three equally often.",
        0.0,
        math.log2(3),
        _throw_entropy,
    ),
    Axis(
        "repetition after wins",
        "Share of its throws after a throw won that repeat it.",
        0.0,
        1.0,
        _repetition,
    ),
)


def _record(codes: NDArray[np.uint8]) -> dict[str, list[int]]:
    return {"throws": (codes // 3).tolist(), "opponent_throws": (codes % 3).tolist()}


_API = '''A policy is a Python module with one class named Policy:

class Policy:
    """What it does and why, in words."""

    def __init__(self, player: int, num_players: int, game: dict, seed: int): ...   # optional
    def act(self, obs: dict) -> int: ...      # an element of obs["legal_actions"]

Actions are 0 = Rock, 1 = Paper, 2 = Scissors; action (x + 1) % 3 beats action x. A fresh instance
plays each episode of 1000 throws; act is called once per throw. Draw random numbers from
random.Random(seed), so that the episode can be repeated. game is
{{"name": "rrps", "num_throws": 1000, "num_actions": 3, "action_names": [...]}}.

obs is a plain dict:
  player            your seat, 0 or 1 (both are the same in this game)
  throw             number of throws already played, 0 to 999
  num_throws        1000
  legal_actions     [0, 1, 2]
  action_names      ["Rock", "Paper", "Scissors"]
  my_actions        your throws so far, oldest first
  opponent_actions  the opponent's throws so far, oldest first
  my_score          your wins minus losses so far

Example, before the fourth throw (a throw lost, a throw won, a tie):
{observation}

Allowed imports: math, random, collections, itertools, functools, statistics, dataclasses, typing,
enum, heapq, bisect, copy, operator, abc, numpy. An exception or an illegal answer loses the throw.
Each decision may take 100 ms of CPU and each episode 3 s; building the instance 2 s.
'''
