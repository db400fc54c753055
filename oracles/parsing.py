"""Turning text into a syntax tree without ever failing in another way than by saying why."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

MAX_SOURCE_BYTES = 64 * 1024
MAX_DEPTH = 200
"""Levels of nested syntax; people stay below 20, and the compiler's own recursion far above."""

MAX_MENDED_LINES = 50

_TYPOGRAPHIC = str.maketrans(
    {
        "\u201c": '"',
        "\u201d": '"',
        "\u201e": '"',
        "\u2018": "'",
        "\u2019": "'",
        "\u201a": "'",
        "\u2212": "-",
        "\u2013": "-",
        "\u00a0": " ",
        "\u202f": " ",
    }
)
_ZERO_WIDTH = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")
_HIDDEN = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class Unparsable(Exception):
    """A text that is no program. ``at_end``: it looks cut off rather than wrong."""

    def __init__(self, reason: str, line: int | None, *, at_end: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.at_end = at_end


@dataclass(frozen=True)
class Program:
    source: str
    tree: ast.Module
    repairs: tuple[str, ...]


def parse_program(text: str) -> Program:
    """The program in ``text``, its harmless typing errors repaired and recorded.

    Raises:
        Unparsable: when it is no program, or one that cannot be shown or stored.
    """
    repairs: list[str] = []
    source = text.strip("\n").rstrip() + "\n"
    if _ZERO_WIDTH.search(source):
        source = _ZERO_WIDTH.sub("", source)
        repairs.append("invisible zero-width characters were removed")
    refuse_characters(source)
    if len(source.encode("utf-8")) > MAX_SOURCE_BYTES:
        raise Unparsable(f"the program is too long: at most {MAX_SOURCE_BYTES} bytes", None)
    source = _dedented(source, repairs)
    repaired_lines: list[int] = []
    while True:
        try:
            tree = parse(source)
            break
        except Unparsable as error:
            mended = _mend_line(source, error.line)
            if mended is None or len(repaired_lines) == MAX_MENDED_LINES:
                raise
            source = mended
            repaired_lines.append(error.line or 0)
    if repaired_lines:
        listed = ", ".join(str(line) for line in sorted(set(repaired_lines)))
        repairs.append(f"typographic quotes or signs were replaced by plain ones in line {listed}")
    return Program(source, tree, tuple(repairs))


def parse(source: str) -> ast.Module:
    """``source`` as a syntax tree that also compiles.

    Raises:
        Unparsable: with line and caret on a syntax error, or when it is nested too deeply.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
            _refuse_depth(tree)
            compile(tree, "<policy>", "exec", dont_inherit=True)
        except SyntaxError as error:
            raise _described(source, error) from None
        except (RecursionError, MemoryError):
            raise Unparsable("the program is nested too deeply to be compiled", None) from None
        except (ValueError, OverflowError) as error:
            raise Unparsable(f"the program cannot be compiled: {error}", None) from None
    return tree


def _refuse_depth(tree: ast.AST) -> None:
    level: list[ast.AST] = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    line = getattr(level[0], "lineno", None)
    raise Unparsable(f"the program is nested more than {MAX_DEPTH} levels deep", line)


def refuse_characters(source: str, *, zero_width: bool = False) -> None:
    """Refuse what cannot be stored or would deceive a reader; ``zero_width`` characters too.

    Raises:
        Unparsable: naming the first such character and its line.
    """
    refused = [(_CONTROL, "control"), (_HIDDEN, "hidden text-direction")]
    if zero_width:
        refused.append((_ZERO_WIDTH, "invisible zero-width"))
    for pattern, what in refused:
        found = pattern.search(source)
        if found:
            line = source.count("\n", 0, found.start()) + 1
            name = "NUL" if found[0] == "\0" else f"U+{ord(found[0]):04X}"
            raise Unparsable(f"the {what} character {name} in line {line} is not accepted", line)


def _dedented(source: str, repairs: list[str]) -> str:
    """``source`` moved to the left margin when it starts further in."""
    first = next((line for line in source.split("\n") if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    if not indent:
        return source
    repairs.append(f"the program was moved left by {len(indent)} characters")
    return "\n".join(line.removeprefix(indent) for line in source.split("\n"))


def _mend_line(source: str, number: int | None) -> str | None:
    """``source`` with plain quotes in the line of the error; None when that changes nothing."""
    lines = source.split("\n")
    if number is None or not 1 <= number <= len(lines):
        return None
    mended = lines[number - 1].translate(_TYPOGRAPHIC)
    if mended == lines[number - 1]:
        return None
    lines[number - 1] = mended
    return "\n".join(lines)


def _described(source: str, error: SyntaxError) -> Unparsable:
    lines = source.rstrip("\n").split("\n")
    line = error.lineno
    reason = f"syntax error, line {line}: {error.msg}" if line else f"syntax error: {error.msg}"
    if line and 1 <= line <= len(lines):
        shown = lines[line - 1].replace("\t", " ")[:200]
        column = max(0, min((error.offset or 1) - 1, len(shown)))
        reason += f"\n    {shown}\n    {' ' * column}^"
    never_closed = "never closed" in error.msg or "unterminated" in error.msg
    last = line is not None and line >= len(lines)
    return Unparsable(reason, line, at_end=never_closed or last)
