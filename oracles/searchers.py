"""Which search a run's oracle makes, and what is known of it before it begins."""

from __future__ import annotations

from collections.abc import Sequence

from games.tournament import derive_seed
from oracles.alpha_evolve import AlphaEvolve
from oracles.best_of_n import BestOfN
from oracles.config import OracleName, RunConfig
from oracles.linear_refinement import LinearRefinement
from oracles.population import game_of
from oracles.search import Searcher
from oracles.state import CandidateRecord
from oracles.zero_shot import ZeroShot


def searcher_of(config: RunConfig, iteration: int, weights: Sequence[float]) -> Searcher:
    """The search for one best response against opponents of these ``weights``.

    Raises:
        ValueError: when the oracle is a baseline that makes no best responses.
    """
    limit, evolution = config.proposals, config.evolution
    match config.oracle:
        case OracleName.ZERO_SHOT | OracleName.IMPALA:
            return ZeroShot()
        case OracleName.LINEAR_REFINEMENT:
            return LinearRefinement(weights=weights, limit=config.refinements, target=config.target)
        case OracleName.BEST_OF_N:
            return BestOfN(weights=weights, limit=limit, window=evolution.window)
        case OracleName.ALPHA_EVOLVE:
            return AlphaEvolve(
                weights=weights,
                limit=limit,
                evolution=evolution,
                axes=game_of(config).behaviour_axes(),
                seed=derive_seed(config.seed, f"it{iteration}/evolution"),
            )
        case _:
            raise ValueError(f"{config.oracle} does not search among proposals")


def most_proposals(config: RunConfig) -> int:
    """Proposals per best response, at most."""
    match config.oracle:
        case OracleName.ZERO_SHOT | OracleName.IMPALA:
            return 1
        case OracleName.LINEAR_REFINEMENT:
            return config.refinements
        case _:
            return config.proposals


def origin_of(record: CandidateRecord) -> str:
    """How the policy that ``record`` becomes was made, as :class:`oracles.state.PolicyRecord`."""
    if record.training is not None:
        return "trained"
    if record.evolved is not None:
        return "evolved"
    return "generated" if record.parent is None else "refined"
