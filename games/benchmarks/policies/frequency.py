"""Beats the opponent's most frequent throw so far."""

from typing import Any


class Policy:
    """Counts the opponent's throws as they come."""

    def __init__(self, player: int, num_players: int, game: dict[str, Any], seed: int) -> None:
        self.counts = [0, 0, 0]

    def act(self, obs: dict[str, Any]) -> int:
        counts = self.counts
        if obs["opponent_actions"]:
            counts[obs["opponent_actions"][-1]] += 1
        return (counts.index(max(counts)) + 1) % 3
