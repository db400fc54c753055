"""Keep what won, change what lost."""

import random
from typing import Any


class Policy:
    """Repeats a throw that won; after a loss moves on to what would have won; draws after a tie."""

    def __init__(self, player: int, num_players: int, game: dict[str, Any], seed: int) -> None:
        self.random = random.Random(seed)

    def act(self, obs: dict[str, Any]) -> int:
        if not obs["my_actions"]:
            return self.random.randrange(3)
        mine: int = obs["my_actions"][-1]
        theirs: int = obs["opponent_actions"][-1]
        if mine == theirs:
            return self.random.randrange(3)
        won = mine == (theirs + 1) % 3
        return mine if won else (theirs + 1) % 3
