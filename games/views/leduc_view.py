"""Repeated Leduc Hold'em, as a policy sees it. Runs inside the jail; self-contained.

A message holds three uint16 per decision: the episode, the hand that ended since this episode's
last decision (65535: none) and the information state now, both as numbers of
games/leduc_tree.py. The reply holds one int32 per decision: the index of the action among the legal
ones, -1 for an illegal answer, -2 for an exception, -3 where no policy could be constructed.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

ILLEGAL, RAISED, NOT_CONSTRUCTED = -1, -2, -3
NOTHING, HIDDEN = 65535, 3


def plain_index(answer: Any, legal: list[int]) -> int:
    """Index of the answer among the legal actions, or ILLEGAL; NumPy integers are accepted."""
    if type(answer) is not int:
        if isinstance(answer, (bool, float, str)) or not hasattr(answer, "__index__"):
            return ILLEGAL
        answer = int.__add__(answer.__index__(), 0)
    return legal.index(answer) if answer in legal else ILLEGAL


class View:
    def __init__(self, setup: dict[str, Any]) -> None:
        self.setup = setup
        self.player: int = setup["player"]
        self.states: dict[int, tuple[Any, ...]] = {}
        self.endings: dict[int, tuple[Any, ...]] = {}
        # Without instances until start: a policy that does not load is never asked to start.
        self.seats = [self.seat() for _ in setup["seeds"]]

    def seat(self) -> list[Any]:
        """One episode: the policy's act, its observation, its finished hands, hand, total."""
        past: list[dict[str, Any]] = []
        obs: dict[str, Any] = {
            "player": self.player,
            "hand": 0,
            "num_hands": self.setup["game"]["num_hands"],
            "past_hands": past,
            "my_total": 0,
        }
        return [None, obs, past, 0, 0]

    def start(self, construct: Callable[..., Any]) -> None:
        for i, seed in enumerate(self.setup["seeds"]):
            game = dict(self.setup["game"])
            self.seats[i][0] = construct(i, self.player, 2, game, seed)

    def state(self, code: int) -> tuple[Any, ...]:
        """What an information state shows: (fields, betting by round, legal, names, index of)."""
        node = self.setup["tables"]["nodes"][code // 12]
        my_card, public = code // 4 % 3, code % 4
        facing = 0 in node["legal"]
        names = {0: "Fold", 1: "Call" if facing else "Check", 2: "Raise"}
        fields = {
            "round": node["round"],
            "my_card": my_card,
            "public_card": -1 if public == HIDDEN else public,
            "pot": sum(node["bets"]),
            "my_bet": node["bets"][self.player],
            "opponent_bet": node["bets"][1 - self.player],
        }
        legal = node["legal"]
        index_of = {action: index for index, action in enumerate(legal)}
        first, second = node["betting"]
        entry = (fields, first, second, legal, [names[a] for a in legal], index_of)
        self.states[code] = entry
        return entry

    def ending(self, code: int) -> tuple[Any, ...]:
        """What a finished hand showed: (fields, betting by round, chips won)."""
        tables = self.setup["tables"]
        number, my_card = code // 48, code // 16 % 3
        opponent, public = code // 4 % 4, code % 4
        end = tables["endings"][number]
        if end["folded"] >= 0:
            payoff = tables["fold_payoff"][number]
            ended = "my fold" if end["folded"] == self.player else "opponent fold"
        else:
            cards = (my_card, opponent) if self.player == 0 else (opponent, my_card)
            payoff = tables["payoff"][number][cards[0] * 9 + cards[1] * 3 + public]
            ended = "showdown"
        fields = {
            "my_card": my_card,
            "opponent_card": -1 if opponent == HIDDEN else opponent,
            "public_card": -1 if public == HIDDEN else public,
            "payoff": payoff if self.player == 0 else -payoff,
            "ended": ended,
        }
        first, second = end["betting"]
        entry = (fields, first, second, fields["payoff"])
        self.endings[code] = entry
        return entry

    def run(self, message: memoryview, reply: array[int]) -> int:
        numbers = message.cast("H").tolist()
        states, endings, seats = self.states, self.endings, self.seats
        i = 0
        for episode, finished, code in zip(numbers[::3], numbers[1::3], numbers[2::3]):
            seat = seats[episode]
            act, obs, past, hand, total = seat
            try:
                if finished != NOTHING:
                    entry = endings.get(finished) or self.ending(finished)
                    fields, first, second, payoff = entry
                    record = fields.copy()
                    record["betting"] = [first[:], second[:]]
                    past.append(record)
                    seat[3] = obs["hand"] = hand + 1
                    seat[4] = obs["my_total"] = total + payoff
                fields, first, second, legal, names, index_of = states.get(code) or self.state(code)
                obs.update(fields)
                obs["betting"] = [first[:], second[:]]
                obs["legal_actions"] = legal[:]
                obs["action_names"] = names[:]
                answer = act(obs)
                if type(answer) is int:
                    reply[i] = index_of.get(answer, ILLEGAL)
                else:
                    reply[i] = plain_index(answer, legal)
            except Exception:
                reply[i] = NOT_CONSTRUCTED if act is None else RAISED
                if act is not None:
                    record_fault(episode)  # type: ignore[name-defined]
            i += 1
        return i


def make_view(setup: dict[str, Any]) -> View:
    return View(setup)
