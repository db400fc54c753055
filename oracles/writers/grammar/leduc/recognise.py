"""Read a printed program back into its plan."""

from __future__ import annotations

import ast
from functools import lru_cache
from itertools import combinations

from oracles.writers.grammar.leduc.bases import BASES
from oracles.writers.grammar.leduc.plan import (
    MAX_SUSPECTS,
    ODDS,
    Answer,
    Base,
    Memory,
    Plan,
    Reading,
    Suspect,
)
from oracles.writers.grammar.leduc.printing import print_program

SUSPECT_SETS: tuple[tuple[Suspect, ...], ...] = tuple(
    chosen for size in range(MAX_SUSPECTS + 1) for chosen in combinations(Suspect, size)
)


@lru_cache(maxsize=1024)
def plan_of(source: str) -> Plan | None:
    """The plan that prints this program (blank edges aside); None for any other text."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    methods = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    words = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    reading = Reading.NONE
    if "HONESTY" in names:
        reading = Reading.HONEST
    elif "weigh_showdown" in methods:
        reading = Reading.MEASURED
    suspects = tuple(suspect for suspect in Suspect if suspect.value in words)
    guesses = [
        Plan(
            base=base,
            reading=reading,
            memory=Memory.FADING if "FADING" in names else Memory.WHOLE,
            answer=Answer.LOOKAHEAD if "my_turn" in methods else Answer.POT_ODDS,
            odds=odds,
            suspects=suspects,
        )
        for base in Base
        if f"{BASES[base].title}, until" in source
        for odds in ODDS
        if f"math.log({odds})" in source
    ]
    return next((plan for plan in guesses if print_program(plan).strip() == source.strip()), None)
