"""Blocks of lines that left one place of a program and stand in another. Pure.

A block has at least three lines that say something and twenty letters or digits (git's
``--color-moved`` has the same second rule: fewer are found everywhere by chance), and its
indentation may have changed by the same amount in all of its lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from csro_web.policies.diff import Kind, Row

FEWEST_LINES = 3
FEWEST_CHARACTERS = 20
MOST_PAIRS = 100_000
"""Equal removed and added lines beyond which moves are not looked for (thousands alike)."""
SAYS_LITTLE = frozenset(
    {"else:", "try:", "finally:", "return", "pass", "break", "continue", "return None", "return 0"}
)


@dataclass(frozen=True)
class Move:
    """``length`` lines from ``old`` (line number, old text) now stand at ``new``."""

    old: int
    new: int
    length: int

    @property
    def old_end(self) -> int:
        return self.old + self.length - 1

    @property
    def new_end(self) -> int:
        return self.new + self.length - 1


def moved_blocks(rows: Sequence[Row]) -> list[Move]:
    """Moves in the order of the old text; no line is part of two."""
    gone = {row.left.number: row.left.text for row in rows if _differs(row) and row.left}
    come = {row.right.number: row.right.text for row in rows if _differs(row) and row.right}
    in_place = {
        (row.left.number, row.right.number)
        for row in rows
        if row.kind is Kind.CHANGED and row.left and row.right
    }
    runs = _common_runs(gone, come, in_place)
    taken_old: set[int] = set()
    taken_new: set[int] = set()
    found = []
    for run in sorted(runs, key=lambda run: (-run.length, run.old, run.new)):
        old = set(range(run.old, run.old + run.length))
        new = set(range(run.new, run.new + run.length))
        if not (old & taken_old or new & taken_new):
            taken_old |= old
            taken_new |= new
            found.append(run)
    return sorted(found, key=lambda run: run.old)


def _differs(row: Row) -> bool:
    return row.kind is not Kind.SAME


def _common_runs(
    gone: dict[int, str], come: dict[int, str], in_place: set[tuple[int, int]]
) -> list[Move]:
    """Longest runs of lines that are equal but for one shift of their indentation."""
    places: dict[str, list[int]] = defaultdict(list)
    for number, text in come.items():
        places[text.strip()].append(number)
    if sum(len(places.get(text.strip(), ())) for text in gone.values()) > MOST_PAIRS:
        return []
    pairs = {
        (i, j): _shift(text, come[j])
        for i, text in gone.items()
        for j in places.get(text.strip(), ())
        if (i, j) not in in_place
    }
    runs, seen = [], set()
    for i, j in sorted(pairs):
        if (i, j) in seen or not gone[i].strip():
            continue
        length, shift = 0, pairs[i, j]
        while (i + length, j + length) in pairs:
            if pairs[i + length, j + length] not in (shift, None):
                break
            seen.add((i + length, j + length))
            length += 1
        while not gone[i + length - 1].strip():
            length -= 1
        if _says_enough([gone[i + k] for k in range(length)]):
            runs.append(Move(i, j, length))
    return runs


def _shift(old: str, new: str) -> int | None:
    """By how many columns the indentation grew; None for blank lines, which have none."""
    return _indentation(new) - _indentation(old) if old.strip() else None


def _indentation(line: str) -> int:
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())


def _says_enough(lines: Sequence[str]) -> bool:
    telling = [line.strip() for line in lines if line.strip() not in SAYS_LITTLE]
    telling = [line for line in telling if any(letter.isalnum() for letter in line)]
    characters = sum(letter.isalnum() for line in telling for letter in line)
    return len(telling) >= FEWEST_LINES and characters >= FEWEST_CHARACTERS
