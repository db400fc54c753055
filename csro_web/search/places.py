"""Where in a program something is written: code, a comment or a docstring. Pure."""

from __future__ import annotations

import re
import tokenize
from dataclasses import dataclass
from enum import StrEnum

from csro_web.policies import code, program_lines
from csro_web.policies.diff import split_lines
from csro_web.policies.program_lines import NoProgram

_WORD = re.compile(r"\w+")
_RAGGED = re.compile(r"[^\x00-\x7f]")


class Place(StrEnum):
    CODE = "code"
    COMMENTS = "comments"
    DOCSTRINGS = "docstrings"


@dataclass(frozen=True)
class Piece:
    """A part of a line, from ``start`` (character of the line), all of it in one place."""

    line: int
    start: int
    place: Place
    text: str


def pieces(source: str) -> list[Piece]:
    """The program in order, without its blank lines and without the weights of a network.

    Where Python cannot tell comments from code, everything is code.
    """
    lines = split_lines(source)
    weights = code.data_lines(source)
    skipped = range(weights[0], weights[1] + 1) if weights else range(0)
    try:
        apart = _apart(source, lines)
    except NoProgram:
        apart = {}
    found = []
    for number, line in enumerate(lines, 1):
        if number in skipped:
            continue
        for place, start, end in apart.get(number, [(Place.CODE, 0, len(line))]):
            if line[start:end].strip():
                found.append(Piece(number, start, place, line[start:end]))
    return found


def _apart(source: str, lines: list[str]) -> dict[int, list[tuple[Place, int, int]]]:
    """Lines that hold comments or docstrings, as ranges of characters in their places."""
    tokens = program_lines.read(source)
    docstrings = program_lines.docstrings(tokens)
    found: dict[int, list[tuple[Place, int, int]]] = {}
    for at, token in enumerate(tokens):
        if token.type == tokenize.COMMENT:
            number, start = token.start
            found[number] = [
                (Place.CODE, 0, start),
                (Place.COMMENTS, start, len(lines[number - 1])),
            ]
        elif at in docstrings:
            for number in range(token.start[0], token.end[0] + 1):
                found[number] = [(Place.DOCSTRINGS, 0, len(lines[number - 1]))]
    return found


def lowered(text: str) -> str:
    """Small letters, character by character: the same length for nearly every text."""
    return text.lower() if not _RAGGED.search(text) else "".join(map(str.lower, text))


def words(text: str) -> list[str]:
    """Runs of letters, digits and underscores, in small letters."""
    return _WORD.findall(lowered(text))


def occurrences(line: str, wanted: str, *, whole: bool) -> list[tuple[int, int]]:
    """Where ``wanted`` (in small letters) stands in a line, as ranges of its characters."""
    if not wanted:
        return []
    small, origin = [], []
    for place, character in enumerate(line):
        for letter in character.lower():
            small.append(letter)
            origin.append(place)
    text = "".join(small)
    found, at = [], text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not whole or not (_in_word(text, at - 1) or _in_word(text, end)):
            found.append((origin[at], origin[end - 1] + 1))
        at = text.find(wanted, end)
    return found


def _in_word(text: str, at: int) -> bool:
    return 0 <= at < len(text) and _WORD.fullmatch(text[at]) is not None
