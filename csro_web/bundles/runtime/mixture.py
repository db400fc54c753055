"""The mixture over this package's policies, as one policy.

It needs nothing but Python's standard library; the policies need NumPy where they import it.
They run here as ordinary code, without a sandbox.
"""

from __future__ import annotations

import importlib
import random
from typing import Any

from .contents import COMPONENTS, GAME


def load(module: str) -> type:
    """The class ``Policy`` of a module of this package."""
    found: type = importlib.import_module(f"{__package__}.policies.{module}").Policy
    return found


def construct(policy: type, player: int, num_players: int, game: dict[str, Any], seed: int) -> Any:
    """An instance for one episode; a policy without a constructor of its own gets no arguments."""
    if policy.__init__ is object.__init__:  # type: ignore[misc]
        return policy()
    return policy(player, num_players, dict(game), seed)


def draw(seed: int) -> int:
    """Which component plays the episode of this seed: its position in ``COMPONENTS``.

    The draw is independent of what a policy draws from ``random.Random(seed)``.
    """
    if not COMPONENTS:
        raise ValueError("this package holds no mixture; use a class of its policies")
    point = random.Random(f"csro mixture {seed}").random()  # noqa: S311 - a game, no secret
    total = 0.0
    for position, (_, _, weight) in enumerate(COMPONENTS):
        total += weight
        if point < total:
            return position
    return max(range(len(COMPONENTS)), key=lambda position: COMPONENTS[position][2])


class Mixture:
    """Plays one policy for the whole episode, drawn by the weights from ``seed``.

    Make an instance for each episode, each with a seed of its own, as with any policy.
    """

    def __init__(
        self,
        player: int = 0,
        num_players: int = 2,
        game: dict[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        self.module, self.name, self.weight = COMPONENTS[draw(seed)]
        given = GAME if game is None else game
        self.policy = construct(load(self.module), player, num_players, given, seed)

    def act(self, obs: dict[str, Any]) -> Any:
        """The drawn policy's action for an observation."""
        return self.policy.act(obs)
