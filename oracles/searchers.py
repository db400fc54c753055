"""Which search a run's oracle makes, and what is known of it before it begins."""

from __future__ import annotations

from functools import partial

from oracles import best_of_n, linear_refinement, zero_shot
from oracles.config import OracleName, RunConfig
from oracles.search import Searcher
from oracles.state import CandidateRecord


def searcher_of(config: RunConfig) -> Searcher:
    """The search for one best response.

    Raises:
        ValueError: when the oracle is a baseline, which searches among no proposals.
    """
    match config.oracle:
        case OracleName.ZERO_SHOT:
            return zero_shot.search
        case OracleName.LINEAR_REFINEMENT:
            return partial(linear_refinement.search, limit=config.refinements, target=config.target)
        case OracleName.BEST_OF_N:
            window = config.evolution.window
            return partial(best_of_n.search, limit=config.proposals, window=window)
        case _:
            raise ValueError(f"{config.oracle} does not search among proposals")


def most_proposals(config: RunConfig) -> int:
    """Proposals per best response, at most."""
    match config.oracle:
        case OracleName.ZERO_SHOT:
            return 1
        case OracleName.LINEAR_REFINEMENT:
            return config.refinements
        case _:
            return config.proposals


def origin_of(record: CandidateRecord) -> str:
    """How the policy that ``record`` becomes was made, as :class:`oracles.state.PolicyRecord`."""
    return "generated" if record.parent is None else "refined"
