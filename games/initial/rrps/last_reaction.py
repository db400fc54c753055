"""Expect the opponent to react as the last time."""

import random
from typing import Any


class Policy:
    """Remembers the opponent's reaction to each pair of throws and beats it the next time."""

    def __init__(self, player: int, num_players: int, game: dict[str, Any], seed: int) -> None:
        self.random = random.Random(seed)
        self.reaction: dict[tuple[int, int], int] = {}

    def act(self, obs: dict[str, Any]) -> int:
        mine, theirs = obs["my_actions"], obs["opponent_actions"]
        if len(theirs) >= 2:
            self.reaction[mine[-2], theirs[-2]] = theirs[-1]
        if theirs and (mine[-1], theirs[-1]) in self.reaction:
            return (self.reaction[mine[-1], theirs[-1]] + 1) % 3
        return self.random.randrange(3)
