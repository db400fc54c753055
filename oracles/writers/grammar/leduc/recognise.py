"""Read a printed program back into its plan."""

from __future__ import annotations

import ast
from functools import lru_cache

from oracles.writers.grammar.leduc.bases import BASES
from oracles.writers.grammar.leduc.plan import MAX_SUSPECTS, Answer, Memory, Plan, Reading, Suspect

_METHODS = {"act", "study", "balanced_play", "best_answer"}


@lru_cache(maxsize=1024)
def plan_of(source: str) -> Plan | None:
    """The plan of a program that this grammar printed; None for any other text.

    A program that was edited by hand is read as far as it still has the grammar's methods and
    constants and names its table; what was written into the bodies of its methods is not seen.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    methods = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    bases = [base for base in BASES if f"{BASES[base].title}, until" in source]
    constants = _constants(tree)
    odds, patience = constants.get("PROOF"), constants.get("PATIENCE")
    honesty, fading = constants.get("HONESTY"), constants.get("FADING")
    if len(bases) != 1 or not methods.issuperset(_METHODS):
        return None
    if not (type(odds) is int and 2 <= odds <= 10**6):
        return None
    if not (type(patience) is int and 1 <= patience <= 100):
        return None
    words = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    reading = Reading.MEASURED if "weigh_showdown" in methods else Reading.NONE
    return Plan(
        base=bases[0],
        reading=Reading.HONEST if honesty is not None else reading,
        memory=Memory.WHOLE if fading is None else Memory.FADING,
        answer=Answer.LOOKAHEAD if "my_turn" in methods else Answer.POT_ODDS,
        odds=odds,
        suspects=tuple(suspect for suspect in Suspect if suspect.value in words)[:MAX_SUSPECTS],
        honesty=_between(honesty, 0.0, 1.0, Plan.honesty),
        fading=_between(fading, 0.5, 0.999, Plan.fading),
        patience=patience,
    ).normal()


def _constants(tree: ast.Module) -> dict[str, object]:
    """Numbers assigned to module constants; of ``math.log(20)`` the 20."""
    found: dict[str, object] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = node.value
            if isinstance(value, ast.Call) and len(value.args) == 1:
                value = value.args[0]
            if isinstance(value, ast.Constant):
                found[node.targets[0].id] = value.value
    return found


def _between(value: object, low: float, high: float, otherwise: float) -> float:
    """``value`` if it is a number in the range."""
    return value if isinstance(value, float) and low <= value <= high else otherwise
