"""Pressure first, caution after."""

import random
from typing import Any

FOLD, CALL, RAISE = 0, 1, 2


class Policy:
    """Raises two times out of three before the public card; after it plays on only with a pair."""

    def __init__(self, player: int, num_players: int, game: dict[str, Any], seed: int) -> None:
        self.random = random.Random(seed)

    def act(self, obs: dict[str, Any]) -> int:
        legal = obs["legal_actions"]
        if obs["round"] == 1:
            return RAISE if RAISE in legal and self.random.random() < 2 / 3 else CALL
        if obs["my_card"] == obs["public_card"]:
            return RAISE if RAISE in legal else CALL
        return FOLD if FOLD in legal else CALL
