"""Whether a trail is what was recorded: one pass over its rows, in constant memory.

No database here: rows come from one (:mod:`csro_web.audit.reading`) or from an exported file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from csro_web.audit.chain import START, row_hash
from csro_web.audit.heads import Head

MOST_FINDINGS = 20
"""So many are named; further ones are counted."""


@dataclass(frozen=True)
class Row:
    """A row as it was found. ``problem`` says why it cannot be read, then the rest is empty."""

    sequence: int | None
    fields: Mapping[str, Any] = field(default_factory=dict)
    hash: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Link:
    """A row's place in the chain."""

    sequence: int
    hash: str


@dataclass(frozen=True)
class Finding:
    """Something that recording alone cannot leave behind; ``sequence`` None: no single row."""

    sequence: int | None
    words: str


@dataclass(frozen=True)
class Report:
    rows: int
    last: Link
    findings: tuple[Finding, ...]
    """The first :data:`MOST_FINDINGS`."""
    found: int
    """All findings, also those that are not named."""
    notes: tuple[str, ...]
    """What is odd but no proof, such as a clock that was set back."""

    @property
    def holds(self) -> bool:
        return not self.found


class Check:
    """Takes rows in the order of their sequence, then says what it found."""

    def __init__(
        self, *, heads: Sequence[Head] = (), newest: Link | None = None, whole: bool = True
    ) -> None:
        """``heads`` were signed before; ``newest`` is the database's own head, read before the
        rows; ``whole`` is whether no row may be left out."""
        self._newest = newest
        self._heads: dict[int, list[Head]] = defaultdict(list)
        for head in heads:
            self._heads[head.sequence].append(head)
        self._whole = whole
        self._rows = 0
        self._last = Link(0, START)
        self._last_at = ""
        self._doubted = False
        self._findings: list[Finding] = []
        self._found = 0
        self._notes: list[str] = []
        self._back = 0
        self._compare_with_heads(self._last)

    def add(self, row: Row) -> None:
        self._rows += 1
        if row.sequence is None:
            self._say(None, f"a row cannot be read: {row.problem}")
            return
        if row.sequence <= self._last.sequence:
            self._say(row.sequence, f"row {row.sequence} is there twice, or out of its order")
            return
        self._follow(row.sequence, str(row.fields.get("previous_hash", "")), row.problem)
        doubted = bool(row.problem) or row_hash(row.fields) != row.hash
        if doubted:
            self._say(
                row.sequence,
                f"row {row.sequence} cannot be read: {row.problem}"
                if row.problem
                else f"row {row.sequence} was changed: its hash does not fit what it says",
            )
        self._doubted = doubted
        self._last = Link(row.sequence, row.hash)
        self._compare_with_heads(self._last)
        self._look_at_the_clock(row)

    def _follow(self, sequence: int, previous_hash: str, problem: str) -> None:
        expected = self._last.sequence + 1
        if sequence == expected:
            # What follows a row that was named already need not be named for that too.
            if previous_hash != self._last.hash and not self._doubted and not problem:
                self._say(
                    sequence,
                    f"row {sequence} does not follow row {sequence - 1}: one of them was changed, "
                    "inserted or moved",
                )
        elif self._whole:
            missing = (
                f"row {expected} is missing"
                if sequence == expected + 1
                else f"rows {expected} to {sequence - 1} are missing"
            )
            self._say(expected, missing)

    def _look_at_the_clock(self, row: Row) -> None:
        at = str(row.fields.get("at", ""))
        if at < self._last_at and not row.problem:
            self._back += 1
            if self._back <= MOST_FINDINGS:
                self._notes.append(f"row {row.sequence} is dated before the row before it ({at})")
        self._last_at = max(at, self._last_at)

    def _compare_with_heads(self, link: Link) -> None:
        for head in self._heads.pop(link.sequence, ()):
            if head.hash != link.hash:
                self._say(
                    link.sequence,
                    f"row {link.sequence} is not the one that was signed on {head.at}: the trail "
                    "was written anew up to there or further",
                )
        newest = self._newest
        if newest is not None and newest.sequence == link.sequence and newest.hash != link.hash:
            self._say(
                link.sequence, f"the trail's own head has another hash than row {link.sequence}"
            )

    def report(self, *, newest: Link | None = None) -> Report:
        """``newest`` is the database's own head, read after the rows: none may lie beyond it."""
        last = self._last
        for sequence, heads in sorted(self._heads.items()):
            if not self._whole:
                continue
            if sequence > last.sequence:
                self._say_cut(f"the head signed on {heads[0].at}", sequence)
            else:
                self._say(sequence, f"row {sequence} is missing, of which a signed head is kept")
        if self._newest is not None and self._newest.sequence > last.sequence:
            self._say_cut("the trail's own head", self._newest.sequence)
        if newest is not None and newest.sequence < last.sequence:
            self._say(
                newest.sequence + 1,
                f"the trail's own head is row {newest.sequence}, but there are rows up to "
                f"{last.sequence}: they were not added by recording, or the head was changed",
            )
        if self._back > MOST_FINDINGS:
            self._notes.append(f"{self._back} rows in all are dated before the row before them")
        return Report(self._rows, last, tuple(self._findings), self._found, tuple(self._notes))

    def _say_cut(self, head: str, sequence: int) -> None:
        last = self._last.sequence
        words = f"the end was cut: {head} is row {sequence}, the last row here is {last}"
        self._say(last + 1, words)

    def _say(self, sequence: int | None, words: str) -> None:
        self._found += 1
        if len(self._findings) < MOST_FINDINGS:
            self._findings.append(Finding(sequence, words))
