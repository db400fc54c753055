"""What decides a program: the predictors it listens to and the constants of its judgement."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from oracles.writers.grammar.rrps.predictors import PREDICTORS

DEFAULT_ENDINGS = (12, 7, 4, 2, 1)


@dataclass(frozen=True)
class Recipe:
    """A program before it is printed. Equal recipes print equal programs, reasons apart."""

    predictors: tuple[str, ...]
    """Names out of the catalogue, in its order."""
    memories: tuple[float, ...]
    """Decay per throw of each scoreboard, 0.5 to 0.999; shorter first."""
    endings: tuple[int, ...] = DEFAULT_ENDINGS
    """Lengths that the pattern matcher tries, longest first; unused without a pattern."""
    sharpness: int = 3
    """Power of a predictor's record in the vote: the higher, the fewer voices count."""
    patience: int = 10
    """Net losses after which the program throws at random."""
    proof: int = 4
    """Recent wins of the unplayed choices that end the random throws."""

    def normal(self) -> Recipe:
        """The same program with its predictors in the order of the catalogue, each once."""
        order = [block.name for block in PREDICTORS if block.name in self.predictors]
        return Recipe(
            tuple(order),
            tuple(sorted(set(self.memories))),
            tuple(sorted(set(self.endings), reverse=True)),
            self.sharpness,
            self.patience,
            self.proof,
        )


@lru_cache(maxsize=1024)
def read_recipe(source: str) -> Recipe | None:
    """The recipe of a program that this grammar printed; None for any other program.

    A program that was edited by hand is read as far as it still has the grammar's methods and
    constants; what was written into the bodies of its methods is not seen.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    policies = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    policy = next((node for node in policies if node.name == "Policy"), None)
    if policy is None:
        return None
    methods = {node.name for node in policy.body if isinstance(node, ast.FunctionDef)}
    predictors = tuple(block.name for block in PREDICTORS if block.name in methods)
    constants = _constants(policy)
    memories = _numbers(constants, "MEMORIES", 0.5, 0.999)
    endings = _numbers({"ENDINGS": DEFAULT_ENDINGS} | constants, "ENDINGS", 1, 60)
    sharpness, patience, proof = (
        _whole(constants, name, 50) for name in ("SHARPNESS", "PATIENCE", "PROOF")
    )
    if not (predictors and memories and endings and sharpness and patience and proof):
        return None
    lengths = tuple(int(length) for length in endings)
    return Recipe(predictors, memories, lengths, sharpness, patience, proof)


def _constants(policy: ast.ClassDef) -> dict[str, object]:
    found: dict[str, object] = {}
    for node in policy.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                continue
    return found


def _numbers(
    constants: Mapping[str, object], name: str, low: float, high: float
) -> tuple[float, ...] | None:
    """One to eight numbers from ``low`` to ``high``; None for anything else."""
    value = constants.get(name)
    if not isinstance(value, tuple) or not 1 <= len(value) <= 8:
        return None
    fit = all(type(number) in (int, float) and low <= number <= high for number in value)
    return value if fit else None


def _whole(constants: Mapping[str, object], name: str, high: int) -> int | None:
    value = constants.get(name)
    return value if type(value) is int and 1 <= value <= high else None
