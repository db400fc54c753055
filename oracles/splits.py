"""The benchmark's generalisation test: train against 33 of the 43 bots, hold out the other 10.

Lanctot et al. 2023 (arXiv:2303.03196) repeat it over 50 random splits; which bots theirs had is not
published, so these are splits of our own, fixed for good.
"""

from __future__ import annotations

import numpy as np

from games.base import Game
from games.tournament import derive_seed

SPLITS = 50
TRAINED_AGAINST = 33
HELD_OUT = 10
_ROOT = 0
"""Of the splits' own seeds: a split is the same in every run, whatever the run's seed."""


def can_be_split(game: Game) -> bool:
    """Whether the game has the 43 opponents that a split divides."""
    return len(game.evaluation_population()) == TRAINED_AGAINST + HELD_OUT


def training_bots(game: Game, split: int) -> list[str]:
    """The bots that a run with this split trains against, in the evaluation population's order.

    ``default_rng(derive_seed(0, "GAME/split/NUMBER")).choice(43, 33, replace=False)`` draws them.

    Args:
        split: 0 to 49.
    """
    names = list(game.evaluation_population())
    generator = np.random.default_rng(derive_seed(_ROOT, f"{game.name}/split/{split}"))
    return [names[i] for i in sorted(generator.choice(len(names), TRAINED_AGAINST, replace=False))]
