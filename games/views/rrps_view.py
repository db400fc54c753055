"""Repeated Rock-Paper-Scissors, as a policy sees it. Runs inside the jail; self-contained.

A message holds one byte per episode: 3 * own throw + opponent's throw of the last round (ignored at
the first). The reply holds one int32 per episode: the index of the throw, -1 for an illegal answer,
-2 for an exception, -3 for an episode whose policy could not be constructed.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

ILLEGAL, RAISED, NOT_CONSTRUCTED = -1, -2, -3
GAIN = (0, -1, 1, 1, 0, -1, -1, 1, 0)


def plain_index(answer: Any, limit: int) -> int:
    """The answer as a plain int in [0, limit), or ILLEGAL; NumPy integers are accepted."""
    if type(answer) is not int:
        if isinstance(answer, (bool, float, str)) or not hasattr(answer, "__index__"):
            return ILLEGAL
        answer = int.__add__(answer.__index__(), 0)
    index: int = answer
    return index if 0 <= index < limit else ILLEGAL


class View:
    def __init__(self, setup: dict[str, Any]) -> None:
        self.setup = setup
        self.throw = 0
        # Without instances until start: a policy that does not load is never asked to start.
        self.seats = [self.seat() for _ in setup["seeds"]]

    def seat(self) -> list[Any]:
        """One episode: the policy's act, its observation, two appends into it, its score."""
        obs: dict[str, Any] = {
            "player": self.setup["player"],
            "throw": 0,
            "num_throws": self.setup["game"]["num_throws"],
            "legal_actions": [0, 1, 2],
            "action_names": ["Rock", "Paper", "Scissors"],
            "my_actions": [],
            "opponent_actions": [],
            "my_score": 0,
        }
        return [None, obs, obs["my_actions"].append, obs["opponent_actions"].append, 0]

    def start(self, construct: Callable[..., Any]) -> None:
        for i, seed in enumerate(self.setup["seeds"]):
            game = dict(self.setup["game"])
            self.seats[i][0] = construct(i, self.setup["player"], 2, game, seed)

    def run(self, message: memoryview, reply: array[int]) -> int:
        throw = self.throw
        self.throw = throw + 1
        gains = GAIN
        i = 0
        for seat, code in zip(self.seats, message):
            act, obs, mine, theirs, score = seat
            try:
                if throw:
                    mine(code // 3)
                    theirs(code % 3)
                    obs["throw"] = throw
                    gain = gains[code]
                    if gain:
                        seat[4] = obs["my_score"] = score + gain
                answer = act(obs)
                if type(answer) is int and 0 <= answer <= 2:
                    reply[i] = answer
                else:
                    reply[i] = plain_index(answer, 3)
            except Exception:
                reply[i] = NOT_CONSTRUCTED if act is None else RAISED
                if act is not None:
                    record_fault(i)  # type: ignore[name-defined]
            i += 1
        return i


def make_view(setup: dict[str, Any]) -> View:
    return View(setup)
