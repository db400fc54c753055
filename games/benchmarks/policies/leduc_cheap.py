"""Raises Kings, calls the rest."""

from typing import Any


class Policy:
    """As little thought as a Leduc policy can do with."""

    def act(self, obs: dict[str, Any]) -> int:
        return 2 if obs["my_card"] == 2 and 2 in obs["legal_actions"] else 1
