"""Each legal action with the same probability."""

import random
from typing import Any


class Policy:
    """Does anything: the start of a search should not know how to play."""

    def __init__(self, player: int, num_players: int, game: dict[str, Any], seed: int) -> None:
        self.random = random.Random(seed)

    def act(self, obs: dict[str, Any]) -> int:
        legal: list[int] = obs["legal_actions"]
        return self.random.choice(legal)
