"""The changes of a difference, each with what kind it looks to be. Pure.

The kinds are read off the two texts alone: a change that looks like one of behaviour may change
nothing that is ever reached, and one number can change everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from csro_web.policies import program_lines
from csro_web.policies.diff import Kind, Row
from csro_web.policies.moves import Move
from csro_web.policies.program_lines import NoProgram, Token
from oracles.fingerprint import fingerprint


class Label(StrEnum):
    COSMETIC = "cosmetic"
    CONSTANTS = "constants"
    MOVED = "moved"
    BEHAVIOUR = "behaviour"
    UNKNOWN = "unknown"


WORDS = {
    Label.COSMETIC: "cosmetic",
    Label.CONSTANTS: "constants only",
    Label.MOVED: "moved",
    Label.BEHAVIOUR: "looks like behaviour",
    Label.UNKNOWN: "not labelled",
}
MEANING = {
    Label.COSMETIC: "Only comments, docstrings or layout differ.",
    Label.CONSTANTS: "Only numbers, texts or truth values differ.",
    Label.MOVED: "The same lines, in another place.",
    Label.BEHAVIOUR: "Code differs. This is read off the text alone: what the two do differently "
    "on the same situations is not measured here.",
    Label.UNKNOWN: "Python cannot read one of the two texts, so nothing can be said about it.",
}


@dataclass(frozen=True)
class Change:
    """Neighbouring rows that differ, numbered from 1; ``first`` and ``last`` are places of rows."""

    number: int
    first: int
    last: int
    label: Label

    @property
    def words(self) -> str:
        return WORDS[self.label]

    @property
    def meaning(self) -> str:
        return MEANING[self.label]


def changes(rows: Sequence[Row], old: str, new: str, moves: Sequence[Move]) -> list[Change]:
    """All changes in order, with their labels."""
    found: list[Change] = []
    for same, group in groupby(enumerate(rows), key=lambda item: item[1].kind is Kind.SAME):
        places = [place for place, _ in group]
        if not same:
            found.append(Change(len(found) + 1, places[0], places[-1], Label.BEHAVIOUR))
    labels = _labels(rows, found, old, new, moves)
    return [replace(one, label=label) for one, label in zip(found, labels, strict=True)]


def _labels(
    rows: Sequence[Row], found: list[Change], old: str, new: str, moves: Sequence[Move]
) -> list[Label]:
    try:
        left, right = program_lines.significant(old), program_lines.significant(new)
    except NoProgram:
        return [Label.UNKNOWN] * len(found)
    if does_the_same(old, new):
        return [Label.COSMETIC] * len(found)
    moved_old = {n for move in moves for n in range(move.old, move.old_end + 1)}
    moved_new = {n for move in moves for n in range(move.new, move.new_end + 1)}
    labels = []
    for one in found:
        part = rows[one.first : one.last + 1]
        removed = [row.left.number for row in part if row.left]
        added = [row.right.number for row in part if row.right]
        a = [token for n in removed for token in left[n - 1]]
        b = [token for n in added for token in right[n - 1]]
        label = _label(a, b)
        rest_old = [n for n in removed if n not in moved_old and left[n - 1]]
        rest_new = [n for n in added if n not in moved_new and right[n - 1]]
        if label is Label.BEHAVIOUR and not rest_old and not rest_new:
            label = Label.MOVED
        labels.append(label)
    if set(labels) <= {Label.COSMETIC}:
        # Line by line nothing differs, but the programs do: the lines do not tell what.
        return [Label.BEHAVIOUR] * len(found)
    return labels


def does_the_same(old: str, new: str) -> bool:
    """Whether the two differ in comments, docstrings and layout at most."""
    try:
        return fingerprint(old) == fingerprint(new)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _label(old: Sequence[Token], new: Sequence[Token]) -> Label:
    if [token.text for token in old] == [token.text for token in new]:
        return Label.COSMETIC
    if [_masked(token) for token in old] == [_masked(token) for token in new]:
        return Label.CONSTANTS
    return Label.BEHAVIOUR


def _masked(token: Token) -> str:
    return "literal" if token.tunable else f"token {token.text}"
