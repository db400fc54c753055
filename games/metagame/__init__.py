"""The meta-game: the payoff matrix between policies, and the mixtures that solve it."""

from __future__ import annotations

from games.metagame.matrix import (
    WEIGHT_TOLERANCE,
    Matrix,
    MetaGameError,
    Vector,
    exploitability,
    payoff_matrix,
)
from games.metagame.nash import nash
from games.metagame.solvers import (
    SOLVERS,
    MetaSolver,
    Solution,
    WeightRanges,
    solution,
    solve,
    uniform,
    weight_ranges,
)

__all__ = [
    "SOLVERS",
    "WEIGHT_TOLERANCE",
    "Matrix",
    "MetaGameError",
    "MetaSolver",
    "Solution",
    "Vector",
    "WeightRanges",
    "exploitability",
    "nash",
    "payoff_matrix",
    "solution",
    "solve",
    "uniform",
    "weight_ranges",
]
