"""The map of an archive: which kind of program a candidate is."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache

from games.behaviour import Axis, bin_of
from oracles.search import Screening

Cell = tuple[int | None, ...]
"""A bin per axis of behaviour, then the bin of the length; None where the behaviour is unknown."""
BINS = 16
"""Per axis of behaviour: fine enough to tell apart programs that differ in a detail."""
LINES_PER_BIN = 10
LENGTH_BINS = 40
"""Programs of 390 lines of code and more share the last bin."""


def cell_of(axes: Sequence[Axis], screening: Screening) -> Cell:
    behaviour = zip(axes, screening.behaviour, strict=True)
    bins = tuple(bin_of(axis, value, BINS) for axis, value in behaviour)
    return (*bins, min(screening.length // LINES_PER_BIN, LENGTH_BINS - 1))


@lru_cache(maxsize=4096)
def lines_of_code(source: str) -> int:
    """Lines on which code stands, without comments and docstrings.

    Raises:
        SyntaxError: when ``source`` is no program.
    """
    lines = set()
    stack: list[ast.AST] = [ast.parse(source)]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if (line := getattr(node, "lineno", None)) is not None:
            lines.add(line)
        stack += ast.iter_child_nodes(node)
    return len(lines)
