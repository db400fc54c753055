"""Lines that an earlier version had, that were taken out, and that are back. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from csro_web.policies.diff import Kind, Row, split_lines
from csro_web.policies.moves import SAYS_LITTLE

FEWEST_CHARACTERS = 6
"""Letters and digits; shorter lines come back by chance."""


@dataclass(frozen=True)
class Version:
    """An earlier text of the same history and what people call it ("attempt 2")."""

    name: str
    source: str


def reintroduced(rows: Sequence[Row], old: str, earlier: Sequence[Version]) -> dict[int, str]:
    """New line number -> name of the newest earlier version that had the line.

    ``earlier`` is in order of age, without ``old`` itself. Indentation is not compared. Lines that
    the old text has anywhere were never taken out, so they are not among them.
    """
    known: dict[str, str] = {}
    for version in earlier:
        known.update(dict.fromkeys(map(str.strip, split_lines(version.source)), version.name))
    for line in split_lines(old):
        known.pop(line.strip(), None)
    return {
        row.right.number: known[row.right.text.strip()]
        for row in rows
        if row.kind is not Kind.SAME
        and row.right
        and row.right.text.strip() in known
        and _says_something(row.right.text)
    }


def _says_something(line: str) -> bool:
    letters = sum(letter.isalnum() for letter in line)
    return letters >= FEWEST_CHARACTERS and line.strip() not in SAYS_LITTLE
