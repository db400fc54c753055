"""Uniform random throws."""

import random
from typing import Any


class Policy:
    """Throws each of the three with the same probability: nothing to exploit, nothing gained."""

    def __init__(self, player: int, num_players: int, game: dict[str, Any], seed: int) -> None:
        self.random = random.Random(seed)

    def act(self, obs: dict[str, Any]) -> int:
        return self.random.randrange(3)
