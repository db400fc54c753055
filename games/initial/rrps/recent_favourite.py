"""Beat what the opponent liked lately."""

import random
from typing import Any


class Policy:
    """Counts the opponent's last 20 throws and beats the most frequent one, drawing among ties."""

    def __init__(self, player: int, num_players: int, game: dict[str, Any], seed: int) -> None:
        self.random = random.Random(seed)

    def act(self, obs: dict[str, Any]) -> int:
        recent = obs["opponent_actions"][-20:]
        counts = [recent.count(throw) for throw in range(3)]
        favourites = [throw for throw in range(3) if counts[throw] == max(counts)]
        return (self.random.choice(favourites) + 1) % 3
