"""What decides a program: the predictors it listens to and the constants of its judgement."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from oracles.writers.grammar.rrps.predictors import CORE, NAME_OF, PREDICTORS, canonical

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
    patience: int = 8
    """Net losses of the throws that it chose after which the program throws at random."""
    proof: int = 8
    """Recent wins of the unplayed choices that end the random throws."""
    mirror: bool = False
    """Whether it runs its predictors from the opponent's seat too, against its own kind."""

    def normal(self) -> Recipe:
        """The same program with the core, its predictors in the order of the catalogue."""
        wanted = {*CORE, *self.predictors}
        return replace(
            self,
            predictors=tuple(block.name for block in PREDICTORS if block.name in wanted),
            memories=tuple(sorted(set(self.memories))),
            endings=tuple(sorted(set(self.endings), reverse=True)),
        )


@lru_cache(maxsize=1024)
def read_recipe(source: str) -> Recipe | None:
    """The recipe of a program that this grammar printed; None for any other program.

    A program that was edited by hand is read as far as its constants and the forecasts in its lists
    are still the grammar's; what else was written into its methods is not seen.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    constants = _constants(tree)
    memories = _numbers(constants, "MEMORIES", 0.5, 0.999)
    endings = _numbers(constants, "ENDINGS", 1, 60)
    sharpness, patience, proof = (
        _whole(constants, name, 50) for name in ("SHARPNESS", "PATIENCE", "PROOF")
    )
    predictors = tuple(_predictors(tree))
    if not (predictors and memories and endings and sharpness and patience and proof):
        return None
    lengths = tuple(int(length) for length in endings)
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return Recipe(
        predictors, memories, lengths, sharpness, patience, proof, "mirror" in names
    ).normal()


def _predictors(tree: ast.Module) -> Iterator[str]:
    """The predictors whose expressions stand in the lists of the class ``Reader``."""
    readers = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for node in (node for reader in readers if reader.name == "Reader" for node in reader.body):
        # By method: ``0`` is a forecast in the list of forecasts alone.
        if isinstance(node, ast.FunctionDef) and node.name in ("remember", "forecasts"):
            lists = [part for part in node.body if isinstance(part, ast.Assign | ast.Return)]
            for element in (e for part in lists for e in getattr(part.value, "elts", ())):
                if name := NAME_OF.get(canonical(element)):
                    yield name


def _constants(tree: ast.Module) -> dict[str, object]:
    found: dict[str, object] = {}
    for node in tree.body:
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
