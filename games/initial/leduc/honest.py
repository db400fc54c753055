"""Bets what it holds."""

from typing import Any

FOLD, CALL, RAISE = 0, 1, 2


class Policy:
    """Raises with a King or a pair, folds a Jack to any bet, calls with the rest; never bluffs."""

    def act(self, obs: dict[str, Any]) -> int:
        legal = obs["legal_actions"]
        paired = obs["my_card"] == obs["public_card"]
        if paired or obs["my_card"] == 2:
            return RAISE if RAISE in legal else CALL
        if obs["my_card"] == 0 and FOLD in legal:
            return FOLD
        return CALL
