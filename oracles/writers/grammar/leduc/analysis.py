"""What the source of an opponent gives away about its habits, read from its syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from oracles.task import OpponentView
from oracles.writers.grammar.leduc.plan import Suspect

_ACTIONS = {"FOLD": 0, "CALL": 1, "CHECK": 1, "RAISE": 2, "BET": 2}


@dataclass(frozen=True)
class Traits:
    """An opponent as its code shows it. ``known`` is false when there was nothing to read."""

    known: bool = False
    sees_card: bool = False
    draws_lots: bool = False
    adapts: bool = False
    folds: int = 0
    calls: int = 0
    raises: int = 0
    """How often the code names each action in something that it returns."""

    @property
    def suspect(self) -> Suspect | None:
        """The kind of player that its code resembles, if any."""
        if not self.known or self.adapts:
            return None
        if self.draws_lots and not self.sees_card:
            return Suspect.COIN_FLIPPER
        if self.folds == 0 and self.calls > 0:
            return Suspect.STATION
        if self.draws_lots and self.raises > self.folds:
            return Suspect.BULLY
        return Suspect.ROCK if self.sees_card and not self.draws_lots else None


def read_opponent(opponent: OpponentView) -> Traits:
    """Traits of one opponent, from its code or, where that is hidden, from its summary."""
    if opponent.code is not None:
        try:
            return _from_tree(ast.parse(opponent.code))
        except (SyntaxError, ValueError):
            return Traits()
    if opponent.summary:
        return _from_words(opponent.summary.lower())
    return Traits()


def _from_tree(tree: ast.Module) -> Traits:
    words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    named = list(_returned_actions(tree))
    return Traits(
        known=True,
        sees_card="my_card" in words,
        draws_lots=any(
            isinstance(node, ast.Attribute)
            and node.attr in ("choice", "choices", "random", "randint", "uniform", "integers")
            for node in ast.walk(tree)
        ),
        adapts="past_hands" in words,
        folds=named.count(0),
        calls=named.count(1),
        raises=named.count(2),
    )


def _returned_actions(tree: ast.Module) -> Iterator[int]:
    """Actions named in the values of return statements (not in their conditions)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and node.value is not None:
            yield from _actions_in(node.value)


def _actions_in(value: ast.expr) -> Iterator[int]:
    if isinstance(value, ast.IfExp):
        yield from _actions_in(value.body)
        yield from _actions_in(value.orelse)
    elif isinstance(value, ast.Name) and value.id.upper() in _ACTIONS:
        yield _ACTIONS[value.id.upper()]
    elif isinstance(value, ast.Constant) and type(value.value) is int and 0 <= value.value <= 2:
        yield value.value


def _from_words(text: str) -> Traits:
    def says(pattern: str) -> bool:
        return re.search(pattern, text) is not None

    return Traits(
        known=True,
        sees_card=says(r"pair|king|queen|jack|\bcard|\bhand strength|holds"),
        draws_lots=says(r"random|probabil|chance|out of|percent"),
        adapts=says(r"learn|adapt|past hands|opponent model|evidence"),
        folds=len(re.findall(r"(?<!never )\bfold", text)),
        calls=len(re.findall(r"\bcall|\bcheck", text)),
        raises=len(re.findall(r"\brais|\bbet", text)),
    )
