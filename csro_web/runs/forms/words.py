"""The named choices of a run in words."""

from __future__ import annotations

from enum import StrEnum

from oracles.config import ContextMode, OpponentChoice, OracleName, SolverName, WriterName

IN_WORDS: dict[StrEnum, str] = {
    OracleName.ZERO_SHOT: "Zero-shot: one proposal per best response",
    OracleName.BEST_OF_N: "Best of N: independent proposals, the best one stays",
    OracleName.LINEAR_REFINEMENT: "Linear refinement: propose, play, improve",
    OracleName.ALPHA_EVOLVE: "AlphaEvolve: a population of programs that evolves",
    OracleName.CFR: "Baseline CFR+: computed from the game, no search",
    OracleName.IMPALA: "Baseline PSRO-IMPALA: a neural network that learns by playing",
    OracleName.LLM_AGENT: "Baseline LLM agent: a model asked at every turn",
    WriterName.GRAMMAR: "Built in: composes programs, offline",
    WriterName.LLM: "A language model",
    WriterName.MANUAL: "People: the prompt waits on a page for an answer",
    WriterName.REPLAY: "Replay: the recorded answers of another run",
    ContextMode.CODE: "their code",
    ContextMode.SUMMARY: "a summary of each",
    ContextMode.NONE: "not at all",
    OpponentChoice.ALL: "all of the population",
    OpponentChoice.SUPPORT: "those in the mixture",
    OpponentChoice.TOP5: "the five heaviest",
    SolverName.NASH: "Nash equilibrium",
    SolverName.UNIFORM: "uniform",
    SolverName.REGRET_MATCHING: "regret matching+",
    SolverName.PRD: "projected replicator dynamics",
    SolverName.FICTITIOUS_PLAY: "fictitious play",
    SolverName.ALPHA_RANK: "alpha-rank",
    SolverName.SHOR: "smoothed hybrid optimistic regret (SHOR)",
}


def choices(enum: type[StrEnum]) -> list[tuple[str, str]]:
    """Value and words of every member that can be chosen."""
    return [(str(one), IN_WORDS.get(one, str(one).replace("_", " "))) for one in enum]
