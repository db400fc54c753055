"""Repeated Leduc Hold'em: the hand as it stands, and the last hand where one has just ended."""

from __future__ import annotations

from typing import Any

BETS = 16
STATE = 2 + 3 + 4 + 3 + BETS + 2
LAST_HAND = 1 + 3 + 4 + 4 + 3 + 1 + 24
FEATURES = STATE + LAST_HAND
MOST_CHIPS = 13.0


def one_hot(index: int, size: int) -> list[float]:
    return [1.0 if i == index else 0.0 for i in range(size)]


def bets(betting: list[list[int]], kinds: int, first: int) -> list[float]:
    """One-hot of each action, up to four in each of the two rounds; zeros where none was."""
    numbers: list[float] = []
    for actions in betting:
        for place in range(4):
            chosen = actions[place] - first if place < len(actions) else -1
            numbers += one_hot(chosen, kinds)
    return numbers


def state(obs: dict[str, Any]) -> list[float]:
    """Seat, own card, public card (the last place: not seen), legal actions, betting, chips."""
    return [
        *one_hot(obs["player"], 2),
        *one_hot(obs["my_card"], 3),
        *one_hot(obs["public_card"] % 4, 4),
        *[1.0 if action in obs["legal_actions"] else 0.0 for action in range(3)],
        *bets(obs["betting"], 2, 1),
        obs["my_bet"] / MOST_CHIPS,
        obs["opponent_bet"] / MOST_CHIPS,
    ]


def last_hand(hand: dict[str, Any]) -> list[float]:
    """A finished hand: cards (the last place: not shown), how it ended, chips won, betting."""
    endings = ("showdown", "my fold", "opponent fold")
    return [
        1.0,
        *one_hot(hand["my_card"], 3),
        *one_hot(hand["opponent_card"] % 4, 4),
        *one_hot(hand["public_card"] % 4, 4),
        *one_hot(endings.index(hand["ended"]), 3),
        hand["payoff"] / MOST_CHIPS,
        *bets(hand["betting"], 3, 0),
    ]


class Observer:
    """Remembers how many hands it was shown, so that each is shown to the network once."""

    def __init__(self) -> None:
        self.hands = 0

    def features(self, obs: dict[str, Any]) -> list[float]:
        past = obs["past_hands"]
        fresh = len(past) > self.hands
        self.hands = len(past)
        return state(obs) + (last_hand(past[-1]) if fresh else [0.0] * LAST_HAND)
