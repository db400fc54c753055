"""How large a run will be, before it is launched. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from games.registry import get_game
from oracles.config import OracleName, RunConfig

SUBJECTS = 3
"""What is evaluated at the end: the final mixture, the best and the last policy."""

DECISIONS = {"rrps": 2000, "leduc": 920}
"""Decisions of both sides in one episode. RRPS: 1000 throws each. Leduc: 100 hands from both seats;
the 29 matches of a run had 523 to 921 (median 910): policies that fold much take fewer."""


@dataclass(frozen=True)
class Estimate:
    """Upper bounds; ``decisions`` is None for a game whose episodes have no known length."""

    proposals: int
    matches: int
    episodes: int
    decisions: int | None


def of_run(config: RunConfig) -> Estimate:
    """At most so much is played: every proposal meets the whole population."""
    game = get_game(config.game, config.params)
    initial = len(config.initial) or len(game.initial_population())
    tries = config.refinements if config.oracle is OracleName.LINEAR_REFINEMENT else 1
    sizes = range(initial, initial + config.iterations)
    pairs = initial * (initial - 1) // 2 + sum(sizes)
    scored = sum(tries * size for size in sizes)
    held_out = SUBJECTS * len(game.evaluation_population())
    episodes = (pairs + scored) * config.episodes + held_out * config.evaluation_episodes
    per_episode = DECISIONS.get(config.game)
    return Estimate(
        proposals=tries * config.iterations,
        matches=pairs + scored + held_out,
        episodes=episodes,
        decisions=None if per_episode is None else episodes * per_episode,
    )
