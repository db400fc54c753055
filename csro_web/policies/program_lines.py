"""What the lines of a program hold for Python: tokens, without comments, docstrings, layout. Pure.

Everything here is read off the text; nothing is run.
"""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from dataclasses import dataclass

from csro_web.policies.diff import split_lines

LONGEST = 200_000
"""Characters beyond which a text is not taken apart."""
_CONSTANT_NAMES = frozenset({"True", "False", "None"})
_SIGNS = frozenset({"-", "+"})
_LAYOUT = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING})
_AFTER_OPERAND = frozenset({")", "]", "}"})
_TIGHT = re.compile(r"\s*([^\w\s])\s*")


@dataclass(frozen=True)
class Token:
    """A token that Python acts on. ``tunable``: a literal that could be another one as well."""

    text: str
    tunable: bool = False


class NoProgram(ValueError):
    """Python cannot split this text into tokens (or it is too long to be taken apart)."""


def read(source: str) -> list[tokenize.TokenInfo]:
    """Python's own tokens, their line numbers as :func:`split_lines` counts lines.

    Raises:
        NoProgram: when it has none.
    """
    if len(source) > LONGEST:
        raise NoProgram("too long")
    text = "\n".join(split_lines(source)) + "\n"
    try:
        return list(tokenize.generate_tokens(io.StringIO(text, newline="\n").readline))
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError) as error:
        raise NoProgram(str(error)) from error


def docstrings(tokens: list[tokenize.TokenInfo]) -> set[int]:
    """Places in ``tokens`` of texts that stand alone as a statement: docstrings and their like."""
    found = set()
    starts = True
    for place, token in enumerate(tokens):
        if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT):
            continue
        following = tokens[place + 1].type if place + 1 < len(tokens) else tokenize.ENDMARKER
        ends = following in (tokenize.NEWLINE, tokenize.COMMENT, tokenize.ENDMARKER)
        if starts and token.type == tokenize.STRING and ends:
            found.add(place)
        starts = token.type in (tokenize.NEWLINE, tokenize.ENCODING)
    return found


def significant(source: str) -> list[list[Token]]:
    """What Python acts on in each line; the first token of a statement tells its depth.

    Raises:
        NoProgram: when Python cannot split it into tokens.
    """
    tokens = read(source)
    silent = docstrings(tokens)
    lines: list[list[Token]] = [[] for _ in split_lines(source)]
    depth, starts, before = 0, True, Token("")
    for place, token in enumerate(tokens):
        depth += (token.type == tokenize.INDENT) - (token.type == tokenize.DEDENT)
        if token.type == tokenize.NEWLINE:
            starts = True
        if token.type in _LAYOUT or not token.string.strip() or place in silent:
            continue
        first = token.start[0] - 1
        if starts:
            lines[first].append(Token(f"depth {depth}"))
            before, starts = Token(""), False
        for offset, piece in enumerate(token.string.split("\n")):
            found = Token(piece, tunable=_tunable(token, before))
            if found.tunable and token.type == tokenize.NUMBER and _is_sign(lines[first]):
                found = Token(lines[first].pop().text + piece, tunable=True)
            lines[first + offset].append(found)
        before = Token(token.string)
    return lines


def _tunable(token: tokenize.TokenInfo, before: Token) -> bool:
    """Numbers, truth values and texts; but a text in brackets names what is looked up."""
    if token.type == tokenize.STRING:
        prefix = re.match(r"\w*", token.string)
        formatted = prefix is not None and "f" in prefix[0].lower()
        return before.text != "[" and not formatted
    return token.type == tokenize.NUMBER or token.string in _CONSTANT_NAMES


def _is_sign(line: list[Token]) -> bool:
    """Whether the line ends in a sign that belongs to the number after it."""
    if not line or line[-1].text not in _SIGNS:
        return False
    earlier = line[-2] if len(line) > 1 else Token("depth")
    if earlier.text in _AFTER_OPERAND or earlier.tunable:
        return False
    return not earlier.text.isidentifier() or keyword.iskeyword(earlier.text)


def spacing_keys(source: str) -> list[str]:
    """Each line without the spaces that mean nothing to Python.

    Indentation and whatever stands in quotes are kept: they do mean something. A text that is no
    program is kept as it is.
    """
    lines = split_lines(source)
    try:
        tokens = read(source)
    except NoProgram:
        return lines
    exact: set[int] = set()
    for token in tokens:
        if token.type == tokenize.STRING:
            exact |= set(range(token.start[0], token.end[0] + 1))
    return [line if n in exact else _tight(line) for n, line in enumerate(lines, 1)]


def _tight(line: str) -> str:
    words = line.strip()
    if not words:
        return ""
    indentation = line[: len(line) - len(line.lstrip())]
    return indentation + _TIGHT.sub(r"\1", " ".join(words.split()))
