"""Sets of runs that answer one question together: which runs, under which conditions. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from oracles.config import (
    ConfigError,
    ContextMode,
    OpponentChoice,
    OracleName,
    RunConfig,
    SolverName,
)

MOST_RUNS = 200
MOST_REPLICATES = 100


class PreparedSet(StrEnum):
    ABLATION_CONTEXT = "ablation-context"
    ABLATION_OPPONENTS = "ablation-opponents"
    BEST_OF_N_BESIDE = "best-of-n-beside"
    SOLVERS = "solvers"
    REPLICATES = "replicates"


IN_WORDS: Mapping[PreparedSet, str] = {
    PreparedSet.ABLATION_CONTEXT: "Opponents shown as code, as summaries, or not at all",
    PreparedSet.ABLATION_OPPONENTS: "All opponents shown, those in the mixture, five, or none",
    PreparedSet.BEST_OF_N_BESIDE: "AlphaEvolve, best of N and linear refinement, equal proposals",
    PreparedSet.SOLVERS: "Each meta-solver in the search",
    PreparedSet.REPLICATES: "The same run with several seeds",
}


@dataclass(frozen=True)
class Planned:
    """A run of a set. Runs of one condition differ in their seeds alone."""

    condition: str
    config: RunConfig


def plan(which: PreparedSet, base: RunConfig, replicates: int) -> tuple[Planned, ...]:
    """Every condition with the seeds S to S + ``replicates`` - 1, S being that of ``base``.

    All conditions get the same seeds. Runs of one seed stand together, so that a set that is
    stopped early still compares its conditions.

    Raises:
        ConfigError: when a run of the set cannot be, or when it would be more than 200.
    """
    conditions = _conditions(which, base)
    count = len(conditions) * replicates
    if count > MOST_RUNS:
        raise ConfigError(f"set is {which}; it would be {count} runs, at most {MOST_RUNS} may be")
    return tuple(
        Planned(condition, replace(base, **changes, seed=base.seed + number))
        for number in range(replicates)
        for condition, changes in conditions.items()
    )


def _conditions(which: PreparedSet, base: RunConfig) -> dict[str, dict[str, Any]]:
    match which:
        case PreparedSet.ABLATION_CONTEXT:
            return {f"context {mode}": {"context": mode} for mode in ContextMode}
        case PreparedSet.ABLATION_OPPONENTS:
            shown = ContextMode.CODE if base.context is ContextMode.NONE else base.context
            choices: dict[str, dict[str, Any]] = {
                f"opponents {choice}": {"context": shown, "opponents": choice}
                for choice in OpponentChoice
            }
            return {**choices, "opponents none": {"context": ContextMode.NONE}}
        case PreparedSet.BEST_OF_N_BESIDE:
            return _beside(base)
        case PreparedSet.SOLVERS:
            return {f"solver {solver}": {"training_solver": solver} for solver in SolverName}
        case PreparedSet.REPLICATES:
            return {str(base.oracle): {}}


def _beside(base: RunConfig) -> dict[str, dict[str, Any]]:
    """Equal numbers of proposals per best response, and the same budgets."""
    refined = base.oracle is OracleName.LINEAR_REFINEMENT
    proposals = base.refinements if refined else base.proposals
    if proposals > 100:
        raise ConfigError(
            f"proposals is {proposals}; in the set {PreparedSet.BEST_OF_N_BESIDE} it must be at"
            " most 100, which linear refinement can make too"
        )
    counts = {"proposals": proposals, "refinements": proposals}
    oracles = (OracleName.ALPHA_EVOLVE, OracleName.BEST_OF_N, OracleName.LINEAR_REFINEMENT)
    return {str(oracle): {"oracle": oracle, **counts} for oracle in oracles}
