"""Do as the opponent just did."""

from typing import Any


class Policy:
    """Repeats the opponent's last throw; starts with Paper."""

    def act(self, obs: dict[str, Any]) -> int:
        theirs: list[int] = obs["opponent_actions"]
        return theirs[-1] if theirs else 1
