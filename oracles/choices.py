"""The named choices of a run."""

from __future__ import annotations

from enum import StrEnum


class OracleName(StrEnum):
    """Who finds best responses, or the baseline that runs in the oracle's place."""

    ZERO_SHOT = "zero_shot"
    BEST_OF_N = "best_of_n"
    LINEAR_REFINEMENT = "linear_refinement"
    ALPHA_EVOLVE = "alpha_evolve"
    CFR = "cfr"
    IMPALA = "impala"
    LLM_AGENT = "llm_agent"


BASELINES = frozenset({OracleName.CFR, OracleName.IMPALA, OracleName.LLM_AGENT})
"""Methods that no writer proposes code for."""

UNTRAINED = frozenset({OracleName.CFR, OracleName.LLM_AGENT})
"""Baselines that meet no population before they are evaluated."""


class WriterName(StrEnum):
    GRAMMAR = "grammar"
    LLM = "llm"
    MANUAL = "manual"
    REPLAY = "replay"


class ContextMode(StrEnum):
    """How an opponent is shown to the writer (CSRO, section on context)."""

    CODE = "code"
    SUMMARY = "summary"
    NONE = "none"


class OpponentChoice(StrEnum):
    """Which opponents are shown: all, those in the support of the mixture, or its five heaviest."""

    ALL = "all"
    SUPPORT = "support"
    TOP5 = "top5"


class SolverName(StrEnum):
    """How a payoff matrix becomes a mixture: the names of ``games.metagame.SOLVERS``."""

    NASH = "nash"
    UNIFORM = "uniform"
    REGRET_MATCHING = "regret_matching"
    PRD = "prd"
    FICTITIOUS_PLAY = "fictitious_play"
    ALPHA_RANK = "alpha_rank"
    SHOR = "shor"
