"""Building blocks for repeated Rock-Paper-Scissors."""

from oracles.writers.grammar.rrps.compose import compose

__all__ = ["compose"]
