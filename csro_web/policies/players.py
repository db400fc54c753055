"""A stored policy as the engine plays it."""

from __future__ import annotations

from csro_web.policies.models import Policy
from games.players import BotPlayer, CodePlayer


def player_of(policy: Policy) -> CodePlayer | BotPlayer:
    """What plays in matches for ``policy``: its program, or a reference bot by its name."""
    return CodePlayer(policy.source) if policy.source else BotPlayer(policy.name)
