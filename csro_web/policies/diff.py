"""What changed between two texts, line by line and within lines. Pure; no Django.

``csro_web.policies.matching`` decides which lines belong together. Comparing in the other direction
gives the same rows with sides, removals and additions swapped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from csro_web.policies import matching

CONTEXT_LINES = 3
"""Unchanged lines that stay open around a change."""


class Kind(StrEnum):
    SAME = "same"
    CHANGED = "changed"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True)
class Side:
    """A line of one text: its number from 1, and the character ranges that changed in it."""

    number: int
    text: str
    changed: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Row:
    """A pair of lines; ``left`` is None for an added line, ``right`` for a removed one.

    The two texts of a SAME row are equal, unless spacing was ignored: then their keys are.
    """

    kind: Kind
    left: Side | None
    right: Side | None

    @property
    def spacing_only(self) -> bool:
        """Whether it counts as the same although its spaces differ."""
        if self.kind is not Kind.SAME or self.left is None or self.right is None:
            return False
        return self.left.text != self.right.text


@dataclass(frozen=True)
class Block:
    """Neighbouring rows; a folded block holds unchanged lines far from any change."""

    folded: bool
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Totals:
    changed: int
    removed: int
    added: int
    spacing: int = 0
    """Lines that differ in their spaces alone and were asked to count as the same."""

    @property
    def identical(self) -> bool:
        return not (self.changed or self.removed or self.added or self.spacing)


def compare(old: str, new: str, *, keys: tuple[list[str], list[str]] | None = None) -> list[Row]:
    """All rows, in order; the left sides together are ``old``, the right sides ``new``.

    ``keys``: what lines are compared by, one for each line of either text (default: the line).
    """
    left, right = split_lines(old), split_lines(new)
    by_left, by_right = keys or (left, right)
    rows: list[Row] = []
    i = j = 0
    for pair_i, pair_j in [*matching.pairs(by_left, by_right), (len(left), len(right))]:
        rows += [Row(Kind.REMOVED, Side(k + 1, left[k]), None) for k in range(i, pair_i)]
        rows += [Row(Kind.ADDED, None, Side(k + 1, right[k])) for k in range(j, pair_j)]
        if pair_i < len(left) and pair_j < len(right):
            same = by_left[pair_i] == by_right[pair_j]
            rows.append(_pair(pair_i, left[pair_i], pair_j, right[pair_j], same=same))
        i, j = pair_i + 1, pair_j + 1
    return rows


def _pair(i: int, old: str, j: int, new: str, *, same: bool) -> Row:
    if same:
        return Row(Kind.SAME, Side(i + 1, old), Side(j + 1, new))
    in_old, in_new = matching.changed_ranges(old, new)
    return Row(Kind.CHANGED, Side(i + 1, old, in_old), Side(j + 1, new, in_new))


def split_lines(text: str) -> list[str]:
    """Lines as Python counts them; a final line feed opens no further line."""
    lines = re.split(r"\r\n|\r|\n", text)
    if lines and lines[-1] == "":
        lines.pop()
    return lines


def fold(rows: Sequence[Row], context: int = CONTEXT_LINES) -> list[Block]:
    """Group rows so that unchanged stretches longer than the context are folded."""
    near = [False] * len(rows)
    for index, row in enumerate(rows):
        if row.kind is not Kind.SAME:
            for neighbour in range(max(0, index - context), min(len(rows), index + context + 1)):
                near[neighbour] = True
    blocks = []
    for is_near, group in groupby(enumerate(rows), key=lambda item: near[item[0]]):
        members = tuple(row for _, row in group)
        blocks.append(Block(folded=not is_near and len(members) > 1, rows=members))
    return blocks


def totals(rows: Sequence[Row]) -> Totals:
    kinds = Counter(row.kind for row in rows)
    spacing = sum(row.spacing_only for row in rows)
    return Totals(kinds[Kind.CHANGED], kinds[Kind.REMOVED], kinds[Kind.ADDED], spacing)
