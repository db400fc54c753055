"""Read an opponent's program, without running it, for what it looks at and how."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Trait(StrEnum):
    """What an opponent's program looks at; the value completes "it ..."."""

    PREFERS = "never looks at the game, so that only its preferences can give it away"
    CLOCK = "goes by the number of the throw"
    REACTS = "reacts to my last throw"
    MOVES_ON = "moves on from its own last throw"
    COUNTS_ME = "counts my throws"
    COUNTS_ITSELF = "keeps count of its own throws"
    LOOKS_UP = "looks past exchanges up in a table"
    MATCHES = "searches the past for repeated patterns"
    SCORES = "keeps score of several ideas and follows what works"
    UNREADABLE = "cannot be read as a program"


_MINE, _THEIRS = "opponent_actions", "my_actions"
"""In the opponent's observation, what it calls the opponent's actions are ours."""
_COUNTERS = {"count", "Counter", "most_common", "mode", "bincount"}
_SEARCHES = {"find", "rfind", "rindex"}


@dataclass(frozen=True)
class Reading:
    """The traits found in one program, the most telling first."""

    traits: tuple[Trait, ...]


def read_opponent(source: str) -> Reading:
    """What the program looks at, from its syntax tree alone; nothing of it is run."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return Reading((Trait.UNREADABLE,))
    aliases = _aliases(tree)
    looks = _Looks(aliases)
    looks.visit(tree)
    return Reading(tuple(_traits(looks)))


def _aliases(tree: ast.AST) -> dict[str, str]:
    """Names, also attributes of self, that are bound to a field of the observation."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            pairs: Iterable[tuple[ast.expr, ast.expr]] = [(node.target, node.value)]
        elif isinstance(node, ast.Assign):
            target = node.targets[0]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = zip(target.elts, node.value.elts, strict=False)
            else:
                pairs = [(target, node.value)]
        else:
            continue
        for left, right in pairs:
            field, name = _field(right, found), _name(left)
            if field and name:
                found[name] = field
    return found


def _name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return None


def _field(node: ast.expr, aliases: dict[str, str]) -> str | None:
    """The field of the observation that an expression stands for or is cut out of."""
    if isinstance(node, ast.Subscript):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            return node.slice.value
        if isinstance(node.slice, ast.Slice):
            return _field(node.value, aliases)
        return None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        first = node.args[0] if node.args else None
        if node.func.attr == "get" and isinstance(first, ast.Constant):
            return str(first.value)
        return None
    name = _name(node)
    return aliases.get(name) if name else None


class _Looks(ast.NodeVisitor):
    """Collects which fields are read, how, and with what tools."""

    def __init__(self, aliases: dict[str, str]) -> None:
        self.aliases = aliases
        self.fields: set[str] = set(aliases.values())
        self.last: set[str] = set()
        self.counted: set[str] = set()
        self.searches = False
        self.tables = False
        self.best_of_several = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Only what runs: type annotations look nothing up."""
        for statement in node.body:
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        field = _field(node, self.aliases)
        if field:
            self.fields.add(field)
        of = _field(node.value, self.aliases)
        index = node.slice
        if of and isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub):
            self.last.add(of)
        nested = isinstance(node.value, ast.Subscript) and of is None
        if nested or isinstance(index, ast.Tuple):
            self.tables = True
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = _name(node.func) or ""
        if name in _COUNTERS:
            objects: list[ast.expr] = list(node.args)
            if isinstance(node.func, ast.Attribute):
                objects.append(node.func.value)
            self.counted |= {field for o in objects if (field := _field(o, self.aliases))}
        if name in _SEARCHES and isinstance(node.func, ast.Attribute):
            self.searches = True
        if name in ("setdefault", "defaultdict"):
            self.tables = True
        if name == "max":
            self.best_of_several += 1
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Subscript):
            self.counted |= {
                field
                for part in ast.walk(node.target.slice)
                if isinstance(part, ast.expr) and (field := _indexed(part, self.aliases))
            }
        self.generic_visit(node)


def _indexed(node: ast.expr, aliases: dict[str, str]) -> str | None:
    return _field(node.value, aliases) if isinstance(node, ast.Subscript) else None


def _traits(looks: _Looks) -> Iterable[Trait]:
    histories = looks.fields & {_MINE, _THEIRS}
    if looks.searches:
        yield Trait.MATCHES
    if looks.best_of_several >= 2 and (looks.tables or looks.searches):
        yield Trait.SCORES
    if looks.tables and histories:
        yield Trait.LOOKS_UP
    if _MINE in looks.counted:
        yield Trait.COUNTS_ME
    if _THEIRS in looks.counted:
        yield Trait.COUNTS_ITSELF
    if "throw" in looks.fields:
        yield Trait.CLOCK
    if _MINE in looks.last:
        yield Trait.REACTS
    if _THEIRS in looks.last:
        yield Trait.MOVES_ON
    if not histories and "throw" not in looks.fields:
        yield Trait.PREFERS
