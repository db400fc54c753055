"""Source code as highlighted, inert lines, with its outline and the author's own words."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from django.utils.safestring import SafeString, mark_safe
from pygments.lexers.python import PythonLexer
from pygments.token import STANDARD_TYPES, _TokenType

from csro_web.pages import inert
from csro_web.policies.diff import split_lines

LONGEST_HIGHLIGHTED = 200_000
"""Characters beyond which the code is shown without colours."""
LONGEST_HIGHLIGHTED_LINE = 5_000
DATA_LINE = re.compile(r"""\s*(?:"[^"\s\\]{40,}"|'[^'\s\\]{40,}')\s*$""")
LAST_DATA_LINE = re.compile(r"""\s*(?:"[^"\s\\]+"|'[^'\s\\]+')\s*$""")
FEWEST_DATA_LINES = 20

Token = tuple[str, str]
"""CSS class (may be empty) and text."""


@dataclass(frozen=True)
class OutlineEntry:
    """A class, function or method: where it stands and the first line of its docstring."""

    name: str
    line: int
    depth: int
    summary: str
    end: int
    """Its last line."""


@lru_cache(maxsize=32)
def highlight(source: str) -> Sequence[Sequence[Token]]:
    """Tokens of each line; joined, the texts of a line are the line.

    Remembered: who steps through a history meets each program twice.
    """
    lines = split_lines(source)
    weights = data_lines(source)
    if weights is not None:
        first, last = weights
        rest = [*lines[: first - 1], *[""] * (last - first + 1), *lines[last:]]
        found = highlight("\n".join(rest))
        data = [[("s", line)] for line in lines[first - 1 : last]]
        return [*found[: first - 1], *data, *found[last:]]
    if len(source) > LONGEST_HIGHLIGHTED or any(
        len(line) > LONGEST_HIGHLIGHTED_LINE for line in lines
    ):
        return [[("", line)] for line in lines]
    tokens: list[list[Token]] = [[]]
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    for _, kind, text in lexer.get_tokens_unprocessed("\n".join(lines)):
        for number, part in enumerate(text.split("\n")):
            if number:
                tokens.append([])
            if part:
                tokens[-1].append((_css_class(kind), part))
    return tokens if lines else []


def data_lines(source: str) -> tuple[int, int] | None:
    """First and last line of the longest run of lines that are nothing but a long string each.

    Those are data, such as the weights of a network: pages fold them. None when there are few.
    """
    longest, first = (0, 0), 0
    lines = [*split_lines(source), ""]
    for number, line in enumerate(lines, 1):
        if DATA_LINE.match(line):
            first = first or number
            continue
        if first and number - first > longest[1] - longest[0]:
            longest = (first, number)
        first = 0
    if longest[1] - longest[0] < FEWEST_DATA_LINES:
        return None
    ends_short = LAST_DATA_LINE.match(lines[longest[1] - 1])
    return longest[0], longest[1] if ends_short else longest[1] - 1


def _css_class(kind: _TokenType) -> str:
    while kind not in STANDARD_TYPES and kind.parent is not None:
        kind = kind.parent
    return STANDARD_TYPES.get(kind, "")


def plain_lines(text: str) -> Sequence[Sequence[Token]]:
    """Lines of a text that is no program, as :func:`highlight` gives them."""
    return [[("", line)] for line in split_lines(text)]


def line_html(tokens: Sequence[Token], changed: Sequence[tuple[int, int]] = ()) -> SafeString:
    """One line, inert; the character ranges in ``changed`` are marked."""
    shown: list[str] = []
    position = 0
    for css, text in tokens:
        for part, marked in _cut_at(text, position, changed):
            room = inert.LONGEST_LINE - position
            position += len(part)
            if room > 0:
                shown.append(_span(css, part[:room], marked))
    if position > inert.LONGEST_LINE:
        shown.append(inert.cut_mark(position - inert.LONGEST_LINE))
    return mark_safe("".join(shown))  # noqa: S308 - made of escaped pieces


def _cut_at(text: str, offset: int, changed: Sequence[tuple[int, int]]) -> list[tuple[str, bool]]:
    """The text split where marked ranges begin and end."""
    edges = {0, len(text)}
    for start, end in changed:
        edges |= {edge - offset for edge in (start, end) if 0 < edge - offset < len(text)}
    cuts = sorted(edges)
    return [
        (text[a:b], any(start <= a + offset < end for start, end in changed))
        for a, b in pairwise(cuts)
    ]


def _span(css: str, text: str, marked: bool) -> str:
    inner: str = inert.visible(text)
    if css:
        inner = f'<span class="{css}">{inner}</span>'
    return f"<mark>{inner}</mark>" if marked else inner


def _parsed(source: str) -> ast.Module | None:
    """The syntax tree; None for what Python itself cannot parse (refused candidates)."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def outline(source: str) -> list[OutlineEntry]:
    """Classes and functions in order of appearance; empty for code that does not parse."""
    tree = _parsed(source)
    entries: list[OutlineEntry] = []

    def visit(body: Sequence[ast.stmt], depth: int) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                summary = (ast.get_docstring(node) or "").split("\n", 1)[0]
                end = node.end_lineno or node.lineno
                entries.append(OutlineEntry(node.name, node.lineno, depth, summary, end))
            if isinstance(node, ast.ClassDef):
                visit(node.body, depth + 1)

    if tree is not None:
        visit(tree.body, 0)
    return entries


def name_at(entries: Sequence[OutlineEntry], line: int) -> str:
    """The innermost class or function that a line stands in; empty for none."""
    names = [entry.name for entry in entries if entry.line <= line <= entry.end]
    return names[-1] if names else ""


def strategy_in_words(source: str) -> str:
    """The docstring of ``class Policy``, else of the module; empty when there is none."""
    tree = _parsed(source)
    if tree is None:
        return ""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "Policy":
            found = ast.get_docstring(node)
            if found:
                return found
    return ast.get_docstring(tree) or ""
