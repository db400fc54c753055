"""Reads files that a person named: each way it can go wrong has its own line."""

from __future__ import annotations

import ast
from pathlib import Path

from csro_web.cli.errors import CommandFailure, explain_os_error
from oracles.checks import POLICY
from oracles.parsing import Unparsable, parse

LARGEST = 1_000_000
"""Bytes. A policy is a few kilobytes; a larger file is a mistake."""


def read_text(name: str) -> str:
    """The text of a file, decoded as UTF-8.

    Raises:
        CommandFailure: when it is missing, unreadable, no regular file, too large or not text.
    """
    data = read_bytes(name, largest=LARGEST)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandFailure(
            f"cannot use {name}: it is not UTF-8 text (byte {error.start}); is it a program?"
        ) from None


def read_bytes(name: str, *, largest: int) -> bytes:
    """The content of a file of at most ``largest`` bytes.

    Raises:
        CommandFailure: when it is missing, unreadable, a directory or too large.
    """
    path = Path(name)
    try:
        if path.is_dir():
            raise CommandFailure(f"cannot read {name}: it is a directory; name a file in it")
        with path.open("rb") as file:
            data = file.read(largest + 1)
    except FileNotFoundError:
        raise CommandFailure(f"cannot read {name}: there is no such file") from None
    except OSError as error:
        raise explain_os_error(error, f"read {name}") from error
    if len(data) > largest:
        raise CommandFailure(f"cannot use {name}: larger than {largest // 1000} kB")
    return data


def read_policy(name: str) -> str:
    """The source of a policy file that compiles and defines ``Policy``.

    What else is wrong with it shows in the sandbox, where alone it runs.

    Raises:
        CommandFailure: with the line, when it is no Python or defines no ``Policy``.
    """
    source = read_text(name)
    try:
        tree = parse(source)
    except Unparsable as error:
        reason = error.reason.splitlines()[0]
        raise CommandFailure(
            f"{name} does not compile: {reason}; correct it (./csro extract takes a program out of "
            "a model's answer)"
        ) from None
    if POLICY not in _top_level_names(tree):
        raise CommandFailure(
            f"{name} defines no class {POLICY}; docs/reference/policy-api.md shows what one is"
        )
    return source


def _top_level_names(tree: ast.Module) -> set[str]:
    """Names that a module binds outside of its functions and classes."""
    names: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
        else:
            waiting.extend(ast.iter_child_nodes(node))
    return names
