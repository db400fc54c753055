"""What decides a program: the predictors it listens to and the constants of its judgement."""

from __future__ import annotations

import ast
from dataclasses import dataclass

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
            self.endings,
            self.sharpness,
            self.patience,
            self.proof,
        )


def read_recipe(source: str) -> Recipe | None:
    """The recipe of a program that this grammar printed; None for any other program."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    policies = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    policy = next((node for node in policies if node.name == "Policy"), None)
    if policy is None:
        return None
    methods = {node.name for node in policy.body if isinstance(node, ast.FunctionDef)}
    constants: dict[str, object] = {}
    for node in policy.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                constants[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                return None
    predictors = tuple(block.name for block in PREDICTORS if block.name in methods)
    memories, sharpness = constants.get("MEMORIES"), constants.get("SHARPNESS")
    patience, proof = constants.get("PATIENCE"), constants.get("PROOF")
    endings = constants.get("ENDINGS", DEFAULT_ENDINGS)
    if not (
        predictors
        and isinstance(memories, tuple)
        and isinstance(endings, tuple)
        and isinstance(sharpness, int)
        and isinstance(patience, int)
        and isinstance(proof, int)
    ):
        return None
    return Recipe(predictors, memories, endings, sharpness, patience, proof)
