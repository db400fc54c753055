"""Which matches pay the same in every episode: what equal payoffs say depends on it."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from games.match import MatchSpec
from games.players import BotPlayer, CodePlayer, Player
from games.registry import get_game

_DRAWS = frozenset({"random", "seed", "samples", "empty", "empty_like", "id", "hash"})
"""Names behind which something is that differs between episodes. The seed reaches a policy through
its constructor; NumPy's ``empty`` is what was in memory before."""
_HIDES = frozenset({"attrgetter", "breakpoint", "builtins", "bltns", "compile", "dir"}) | {
    "eval", "exec", "getattr", "globals", "inspect", "locals", "memoryview", "methodcaller",
    "modules", "object", "os", "sys", "vars",
}  # fmt: skip
"""Names through which a program could get at others without writing them down."""
_INTERNAL = re.compile(r"(ag|co|cr|f|gi|tb)_|_")
"""Attributes of frames and generators, and what other modules keep to themselves."""
_OWN_METHODS = frozenset({"__init__", "__call__", "__len__", "__getitem__", "__iter__", "__lt__"})
_GIVEN = ("self", "player", "num_players", "game", "seed")


def payoff_bound(spec: MatchSpec, *, reproducible: bool = True) -> float:
    """The largest absolute payoff of an episode; 0 where every episode pays the same.

    It is the same where neither player draws, and the game does not either or both players are one
    (over both seats of the same deals it wins nothing from itself). ``reproducible``: no time limit
    decided anything. For the ``bound`` of :mod:`games.metrics`.

    Raises:
        GameError: when there is no such game.
    """
    game = get_game(spec.game, spec.params)

    def is_fixed(player: Player) -> bool:
        if isinstance(player, BotPlayer):
            return player.name in game.fixed_bots
        return isinstance(player, CodePlayer) and not may_draw(player.source)

    without_luck = not game.stochastic_chance or spec.a.key == spec.b.key
    same = reproducible and without_luck and is_fixed(spec.a) and is_fixed(spec.b)
    return 0.0 if same else game.largest_payoff


@lru_cache(maxsize=4096)
def may_draw(source: str) -> bool:
    """Whether a program might play otherwise on other seeds, as far as its text tells.

    False only where nothing in it could reach its seed, a generator or the names that lead to one:
    then it is a function of what it observes. When in doubt, True.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return any(_is_suspect(node) for node in ast.walk(tree))


def _is_suspect(node: ast.AST) -> bool:
    match node:
        case ast.Name(id="Policy", ctx=ast.Store()):
            return True  # its constructor is somewhere else
        case ast.Name(id=name) | ast.keyword(arg=str(name)):
            return name in _DRAWS | _HIDES or name.startswith("__")
        case ast.Attribute(value=owner, attr=name):
            own = isinstance(owner, ast.Name) and owner.id == "self" and not name.startswith("__")
            return name in _DRAWS | _HIDES or (not own and bool(_INTERNAL.match(name)))
        case ast.alias(name=name) | ast.ImportFrom(module=str(name)):
            return name == "*" or not (_DRAWS | _HIDES).isdisjoint(name.split("."))
        case ast.Constant(value=str(text)):
            return "__" in text
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return _takes_the_seed(node)
        case ast.ClassDef(name="Policy"):
            return bool(node.decorator_list or node.bases or node.keywords)
    return False


def _takes_the_seed(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it may get its seed under another name, or gives a special method another meaning."""
    given = function.args
    if function.name.startswith("__") and function.name not in _OWN_METHODS:
        return True
    if given.vararg or given.kwarg:
        return True
    names = [one.arg for one in (*given.posonlyargs, *given.args)]
    return function.name == "__init__" and len(names) >= len(_GIVEN) and names != [*_GIVEN]
