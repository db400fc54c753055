"""The grammar's Leduc programs: a balanced base that yields to evidence about the opponent."""

from __future__ import annotations

from oracles.writers.grammar.leduc.compose import compose

__all__ = ["compose"]
