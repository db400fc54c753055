"""Static checks of a program. They give early, actionable advice; the sandbox is the boundary."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

ALLOWED_IMPORTS = (
    "__future__",
    "abc",
    "bisect",
    "collections",
    "copy",
    "dataclasses",
    "enum",
    "functools",
    "heapq",
    "itertools",
    "math",
    "numpy",
    "operator",
    "random",
    "statistics",
    "typing",
)
FORBIDDEN_CALLS = frozenset(
    {"__import__", "breakpoint", "compile", "eval", "exec", "exit", "input", "open", "quit"}
)
POLICY = "Policy"
CONSTRUCTOR = ("player", "num_players", "game", "seed")

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Finding:
    """Why a program is refused, and the line to look at."""

    reason: str
    line: int | None


def check_program(tree: ast.Module) -> Finding | None:
    """The first thing that makes the program no policy; None when nothing was found."""
    return _imports(tree) or _calls(tree) or _policy_class(tree)


def policy_classes(tree: ast.Module) -> list[tuple[ast.ClassDef, _Function]]:
    """Top-level classes that have ``act``, their own or inherited here, and that none extends."""
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    acting = {
        name: method
        for name in classes
        if (method := _method(name, "act", classes, set())) is not None
    }
    bases = {
        base.id
        for name in acting
        for base in classes[name].bases
        if isinstance(base, ast.Name) and base.id != name
    }
    leaves = [(classes[name], act) for name, act in acting.items() if name not in bases]
    return leaves or [(classes[name], act) for name, act in acting.items()]


def _method(
    owner: str, name: str, classes: dict[str, ast.ClassDef], visited: set[str]
) -> _Function | None:
    """``owner.name``, looked for in the class and then in its bases of the same program."""
    if owner not in classes or owner in visited:
        return None
    visited.add(owner)
    for node in classes[owner].body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return node
    for base in classes[owner].bases:
        if isinstance(base, ast.Name):
            found = _method(base.id, name, classes, visited)
            if found is not None:
                return found
    return None


def _imports(tree: ast.Module) -> Finding | None:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            names = ["." * node.level + (node.module or "")]
        for name in names:
            if name.split(".")[0] not in ALLOWED_IMPORTS:
                allowed = ", ".join(ALLOWED_IMPORTS)
                return Finding(f"import {name} is not allowed; allowed are {allowed}", node.lineno)
    return None


def _calls(tree: ast.Module) -> Finding | None:
    own = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            if name in FORBIDDEN_CALLS and name not in own:
                return Finding(f"a call of {name}() is not allowed in a policy", node.lineno)
    return None


def _policy_class(tree: ast.Module) -> Finding | None:
    found = policy_classes(tree)
    if not found:
        return Finding("no class with a method act(self, obs) was found; write one", None)
    named = [pair for pair in found if pair[0].name == POLICY]
    if len(found) > 1 and not named:
        names = ", ".join(node.name for node, _ in found)
        return Finding(
            f"{len(found)} classes have a method act ({names}); call the one to play {POLICY}",
            found[1][0].lineno,
        )
    node, act = (named or found)[0]
    classes = {item.name: item for item in tree.body if isinstance(item, ast.ClassDef)}
    return _act(act) or _constructor(_method(node.name, "__init__", classes, set()))


def _act(act: _Function) -> Finding | None:
    if isinstance(act, ast.AsyncFunctionDef):
        return Finding("act must be a plain method, not an async one", act.lineno)
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own_nodes(act)):
        return Finding("act must be a plain method that returns, not a generator", act.lineno)
    for decorator in act.decorator_list:
        if isinstance(decorator, ast.Name) and decorator.id in (
            "staticmethod",
            "classmethod",
            "property",
        ):
            return Finding(f"act must be a plain method, not a {decorator.id}", act.lineno)
    positional = [*act.args.posonlyargs, *act.args.args]
    required = len(positional) - len(act.args.defaults)
    keyword_only = [
        arg.arg
        for arg, default in zip(act.args.kwonlyargs, act.args.kw_defaults, strict=True)
        if default is None
    ]
    takes_one = len(positional) >= 2 or act.args.vararg is not None
    if not takes_one or required > 2 or keyword_only:
        return Finding("act must take self and one observation: act(self, obs)", act.lineno)
    return None


def _constructor(init: _Function | None) -> Finding | None:
    if init is None:
        return None
    if isinstance(init, ast.AsyncFunctionDef):
        return Finding("constructor: __init__ must be a plain method", init.lineno)
    positional = [arg.arg for arg in (*init.args.posonlyargs, *init.args.args)][1:]
    required = positional[: len(positional) - len(init.args.defaults)]
    required_keywords = [
        arg.arg
        for arg, default in zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True)
        if default is None
    ]
    called = f"it is called as __init__(self, {', '.join(CONSTRUCTOR)})"
    unknown = [name for name in positional[:4] if name not in CONSTRUCTOR]
    surplus = required[4:] + required_keywords
    if len(positional) < 4 and not init.args.vararg:
        missing = next(name for name in CONSTRUCTOR if name not in positional)
        told = f"has a parameter {unknown[0]!r}" if unknown else f"lacks the parameter {missing!r}"
        return Finding(f"constructor: it {told}, but {called}", init.lineno)
    if surplus:
        told = f"needs a parameter {surplus[0]!r}"
        return Finding(f"constructor: it {told}, but {called}", init.lineno)
    for name, expected in zip(positional, CONSTRUCTOR, strict=False):
        if name in CONSTRUCTOR and name != expected:
            told = f"has {name!r} in the place of {expected!r}"
            return Finding(f"constructor: it {told}, but {called}", init.lineno)
    return None


def _own_nodes(function: _Function) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions and classes inside it."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            stack.extend(ast.iter_child_nodes(node))
