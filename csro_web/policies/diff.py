"""What changed between two texts, line by line and within lines. Pure; no Django.

Lines are matched by ``difflib.SequenceMatcher(autojunk=False)``. Inside a replaced block, old and
new lines are paired by likeness in order (an alignment of greatest total likeness), and paired
lines are compared token by token.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import groupby

CONTEXT_LINES = 3
"""Unchanged lines that stay open around a change."""
LEAST_LIKENESS = 0.4
"""Below it, two lines of a replaced block are a removal and an addition, not an edit."""
MOST_PAIRINGS = 40_000
"""Larger replaced blocks are paired from the top, without the alignment."""
MOST_MATCHES = 4_000_000
"""Equal line pairs beyond which matching would take too long (huge files of equal lines)."""
MOST_TOKENS = 1_500

_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)


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
    """A pair of lines; ``left`` is None for an added line, ``right`` for a removed one."""

    kind: Kind
    left: Side | None
    right: Side | None


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

    @property
    def identical(self) -> bool:
        return not (self.changed or self.removed or self.added)


def compare(old: str, new: str) -> list[Row]:
    """All rows, in order; the left sides together are ``old``, the right sides ``new``."""
    left, right = split_lines(old), split_lines(new)
    rows: list[Row] = []
    for tag, i1, i2, j1, j2 in _opcodes(left, right):
        if tag == "equal":
            rows += [
                Row(Kind.SAME, Side(i + 1, left[i]), Side(j + 1, right[j]))
                for i, j in zip(range(i1, i2), range(j1, j2), strict=True)
            ]
        else:
            rows += _replaced(left, right, range(i1, i2), range(j1, j2))
    return rows


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
    return Totals(kinds[Kind.CHANGED], kinds[Kind.REMOVED], kinds[Kind.ADDED])


def _opcodes(left: list[str], right: list[str]) -> list[tuple[str, int, int, int, int]]:
    """Like SequenceMatcher's, with equal ends matched first and a bound on the work between."""
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    end = 0
    while end < min(len(left), len(right)) - start and left[len(left) - 1 - end] == right[-1 - end]:
        end += 1
    inner_left, inner_right = left[start : len(left) - end], right[start : len(right) - end]
    codes = [("equal", 0, start, 0, start)] if start else []
    codes += [
        (tag, i1 + start, i2 + start, j1 + start, j2 + start)
        for tag, i1, i2, j1, j2 in _inner_opcodes(inner_left, inner_right)
    ]
    if end:
        codes.append(("equal", len(left) - end, len(left), len(right) - end, len(right)))
    return codes


def _inner_opcodes(left: list[str], right: list[str]) -> list[tuple[str, int, int, int, int]]:
    if not left and not right:
        return []
    counts = Counter(right)
    if sum(counts[line] for line in left) > MOST_MATCHES:
        return [("replace", 0, len(left), 0, len(right))]
    return [
        tuple(code) for code in SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    ]


def _replaced(left: list[str], right: list[str], old: range, new: range) -> list[Row]:
    rows: list[Row] = []
    i, j = old.start, new.start
    for pair_i, pair_j in [*_pairs(left, right, old, new), (old.stop, new.stop)]:
        rows += [Row(Kind.REMOVED, Side(k + 1, left[k]), None) for k in range(i, pair_i)]
        rows += [Row(Kind.ADDED, None, Side(k + 1, right[k])) for k in range(j, pair_j)]
        if pair_i < old.stop and pair_j < new.stop:
            in_left, in_right = changed_ranges(left[pair_i], right[pair_j])
            rows.append(
                Row(
                    Kind.CHANGED,
                    Side(pair_i + 1, left[pair_i], in_left),
                    Side(pair_j + 1, right[pair_j], in_right),
                )
            )
        i, j = pair_i + 1, pair_j + 1
    return rows


def _pairs(left: list[str], right: list[str], old: range, new: range) -> list[tuple[int, int]]:
    """Old and new lines that are edits of each other, in order: the alignment of most likeness."""
    if not old or not new:
        return []
    if len(old) * len(new) > MOST_PAIRINGS:
        return list(zip(old, new, strict=False))
    tokens_old = [Counter(_words(left[i])) for i in old]
    tokens_new = [Counter(_words(right[j])) for j in new]
    alike = [[_likeness(a, b) for b in tokens_new] for a in tokens_old]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for a in range(len(old) - 1, -1, -1):
        for b in range(len(new) - 1, -1, -1):
            paired = best[a + 1][b + 1] + alike[a][b] if alike[a][b] >= LEAST_LIKENESS else 0.0
            best[a][b] = max(best[a + 1][b], best[a][b + 1], paired)
    found, a, b = [], 0, 0
    while a < len(old) and b < len(new):
        likeness = alike[a][b]
        if likeness >= LEAST_LIKENESS and best[a][b] == best[a + 1][b + 1] + likeness:
            found.append((old[a], new[b]))
            a, b = a + 1, b + 1
        elif best[a][b] == best[a + 1][b]:
            a += 1
        else:
            b += 1
    return found


def _words(line: str) -> list[str]:
    return [token for token in _TOKEN.findall(line[:4000]) if not token.isspace()]


def _likeness(a: Counter[str], b: Counter[str]) -> float:
    """Shared tokens over all tokens, 0 to 1 (Dice); two blank lines are alike."""
    size = a.total() + b.total()
    return 2 * (a & b).total() / size if size else 1.0


def changed_ranges(
    old: str, new: str
) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """Character ranges that differ, in the old and in the new line, by whole tokens."""
    a, b = _TOKEN.findall(old), _TOKEN.findall(new)
    if len(a) > MOST_TOKENS or len(b) > MOST_TOKENS:
        return ((0, len(old)),), ((0, len(new)),)
    starts_a, starts_b = _starts(a), _starts(b)
    in_old, in_new = [], []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag != "equal":
            in_old.append((starts_a[i1], starts_a[i2]))
            in_new.append((starts_b[j1], starts_b[j2]))
    return _merged(in_old), _merged(in_new)


def _starts(tokens: list[str]) -> list[int]:
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token))
    return starts


def _merged(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Empty ranges dropped, touching ones joined."""
    merged: list[tuple[int, int]] = []
    for start, end in ranges:
        if start == end:
            continue
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(merged)
