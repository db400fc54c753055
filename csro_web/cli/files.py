"""Reads files that a person named: each way it can go wrong has its own line."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

from csro_web.cli.errors import CommandFailure, explain_os_error

LARGEST = 1_000_000
"""Bytes. A policy is a few kilobytes; a larger file is a mistake."""


def read_text(name: str) -> str:
    """The text of a file, decoded as UTF-8.

    Raises:
        CommandFailure: when it is missing, unreadable, no regular file, too large or not text.
    """
    path = Path(name)
    try:
        if path.is_dir():
            raise CommandFailure(f"cannot read {name}: it is a directory; name a file in it")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise CommandFailure(f"cannot read {name}: there is no such file") from None
    except OSError as error:
        raise explain_os_error(error, f"read {name}") from error
    if len(data) > LARGEST:
        raise CommandFailure(f"cannot use {name}: larger than {LARGEST // 1000} kB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CommandFailure(
            f"cannot use {name}: it is not UTF-8 text (byte {error.start}); is it a program?"
        ) from None
    if "\0" in text:
        raise CommandFailure(f"cannot use {name}: it holds NUL bytes; is it a program?")
    return text


def read_policy(name: str) -> str:
    """The source of a policy file that compiles and defines what the sandbox will look for.

    Raises:
        CommandFailure: with the line, when it is no Python, or has no ``Policy`` with ``act``.
    """
    source = read_text(name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except SyntaxError as error:
        raise CommandFailure(
            f"{name} line {error.lineno or '?'}: it does not compile ({error.msg}); correct it, or "
            "try ./csro extract if it is a model's whole answer"
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise CommandFailure(
            f"{name} does not compile: {error or 'it is too deeply nested'}"
        ) from None
    if not any(isinstance(node, ast.ClassDef | ast.Assign | ast.If) for node in tree.body):
        raise CommandFailure(
            f"{name} defines no class Policy; docs/reference/policy-api.md shows one"
        )
    return source
