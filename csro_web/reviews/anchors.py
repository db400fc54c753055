"""Carries a range of lines from one version of a text to later ones. Pure; no Django.

A place is looked for in this order, and is given up rather than guessed:

1. The quoted lines as a whole. Where they occur more than once, their surroundings decide (the
   lines before and after, and the headers they are indented under), then the diff; an occurrence
   that fits another old occurrence better is left to that one.
2. Those of the lines that the diff (:mod:`csro_web.policies.diff`) finds again, edited or not, or
   a larger part of them that now stands elsewhere.

A version in which nothing is found is passed over: the next one is compared with the last version
that had the lines, so that a removal which is taken back detaches nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import lru_cache

from csro_web.policies.diff import Kind, compare, split_lines

SURROUNDING_LINES = 4
"""Lines before and after, blank ones not counted, that tell equal lines apart."""
HEADER_WEIGHT = 2
ENOUGH_SURROUNDINGS = SURROUNDING_LINES + HEADER_WEIGHT
"""Shared surroundings by which even lines without substance are recognised elsewhere."""
MOST_OCCURRENCES = 50
"""Of equal lines; beyond it the diff alone decides."""
LEAST_SUBSTANCE = 8
"""Visible characters of a line that may be recognised away from where the diff expects it."""


class Fit(StrEnum):
    SAME = "same"
    """The same lines under the same numbers."""
    MOVED = "moved"
    """The same lines under other numbers."""
    CHANGED = "changed"
    """Some of the lines were edited, added or removed."""
    DETACHED = "detached"
    """Nothing of them was found."""


@dataclass(frozen=True)
class Lines:
    """Lines ``first`` to ``last`` of a text, counted from 1."""

    first: int
    last: int

    def of(self, text: str) -> str:
        """The lines, joined by line feeds."""
        return "\n".join(split_lines(text)[self.first - 1 : self.last])


@dataclass(frozen=True)
class Place:
    """Where lines stand in the newest version; ``lines`` is None when they are detached."""

    fit: Fit
    lines: Lines | None
    text: str
    """What stands there now; empty when detached."""


def carry(lines: Lines, versions: Sequence[str]) -> Place:
    """Carry ``lines`` of the first version along to the last one.

    Raises:
        ValueError: when the first version has no such lines.
    """
    if not 1 <= lines.first <= lines.last <= len(split_lines(versions[0])):
        raise ValueError(f"the text has no lines {lines.first} to {lines.last}")
    quote = lines.of(versions[0])
    known, place, found = versions[0], lines, True
    for version in versions[1:]:
        there = _step(known, version, place)
        found = there is not None
        if there is not None:
            known, place = version, there
    if not found:
        return Place(Fit.DETACHED, None, "")
    text = place.of(known)
    if text != quote:
        return Place(Fit.CHANGED, place, text)
    return Place(Fit.SAME if place == lines else Fit.MOVED, place, text)


def _step(old: str, new: str, place: Lines) -> Lines | None:
    if old == new:
        return place
    left, right = _split(old), _split(new)
    return _whole(left, right, place, _pairs(old, new)) or _parts(
        left, right, place, _pairs(old, new)
    )


@lru_cache(maxsize=64)
def _split(text: str) -> tuple[str, ...]:
    return tuple(split_lines(text))


@lru_cache(maxsize=64)
def _pairs(old: str, new: str) -> dict[int, int]:
    """Old and new line numbers of the lines that the diff pairs, edited or not."""
    return {
        row.left.number: row.right.number
        for row in compare(old, new)
        if row.kind in (Kind.SAME, Kind.CHANGED) and row.left and row.right
    }


def _whole(
    left: Sequence[str], right: Sequence[str], place: Lines, pairs: dict[int, int]
) -> Lines | None:
    """Where all of the lines stand unchanged; None when nowhere, or nowhere for certain."""
    quote = left[place.first - 1 : place.last]
    size = len(quote)
    expected = pairs.get(place.first)
    if expected is not None and right[expected - 1 : expected - 1 + size] != quote:
        expected = None
    starts = list(_occurrences(right, quote))
    rivals = [start for start in _occurrences(left, quote) if start != place.first]
    if max(len(starts), len(rivals)) > MOST_OCCURRENCES:
        return None if expected is None else Lines(expected, expected + size - 1)

    def likeness(old_start: int, new_start: int) -> tuple[int, bool]:
        around = _surroundings(left, old_start, size) & _surroundings(right, new_start, size)
        return around.total(), pairs.get(old_start) == new_start

    if not any(_has_substance(line) for line in quote):
        starts = [
            start
            for start in starts
            if start == expected or likeness(place.first, start)[0] >= ENOUGH_SURROUNDINGS
        ]
    ranked = sorted(starts, key=lambda start: likeness(place.first, start), reverse=True)
    scores = [likeness(place.first, start) for start in ranked]
    for start, mine in zip(ranked, scores, strict=True):
        if scores.count(mine) > 1:
            return None
        if all(likeness(rival, start) < mine for rival in rivals):
            return Lines(start, start + size - 1)
    return None


def _parts(
    left: Sequence[str], right: Sequence[str], place: Lines, pairs: dict[int, int]
) -> Lines | None:
    """Where some of the lines stand, edited or not; None when too little is left of them."""
    numbers = range(place.first, place.last + 1)
    telling = [n for n in numbers if _has_substance(left[n - 1])] or list(numbers)
    found = {n: pairs[n] for n in numbers if n in pairs and _is_it(left, right, n, pairs)}
    untouched = sum(left[n - 1] == right[m - 1] for n, m in found.items())
    elsewhere = _largest_part(left, right, place)
    if elsewhere is not None and elsewhere.last - elsewhere.first + 1 > untouched:
        return elsewhere
    if not any(n in found for n in telling):
        return None
    return Lines(min(found.values()), max(found.values()))


def _is_it(left: Sequence[str], right: Sequence[str], number: int, pairs: dict[int, int]) -> bool:
    """Whether the diff's partner of a line is believed: an equal line must be the right one."""
    if left[number - 1] != right[pairs[number] - 1]:
        return True
    whole = _whole(left, right, Lines(number, number), pairs)
    return whole is not None and whole.first == pairs[number]


def _largest_part(left: Sequence[str], right: Sequence[str], place: Lines) -> Lines | None:
    """At least half of the lines, together, in one place that cannot be mistaken."""
    size = place.last - place.first + 1
    quote = left[place.first - 1 : place.last]
    if size < 2:
        return None
    match = SequenceMatcher(None, quote, right, autojunk=False).find_longest_match()
    part = quote[match.a : match.a + match.size]
    if match.size < max(2, size / 2) or not any(_has_substance(line) for line in part):
        return None
    if any(len(list(_occurrences(text, part))) != 1 for text in (left, right)):
        return None
    return Lines(match.b + 1, match.b + match.size)


def _occurrences(text: Sequence[str], lines: Sequence[str]) -> Iterator[int]:
    """Numbers of the lines at which the given ones begin."""
    size, head = len(lines), lines[0]
    for index in range(len(text) - size + 1):
        if text[index] == head and text[index : index + size] == lines:
            yield index + 1


def _has_substance(line: str) -> bool:
    return sum(not character.isspace() for character in line) >= LEAST_SUBSTANCE


def _surroundings(text: Sequence[str], first: int, size: int) -> Counter[tuple[str, str]]:
    """The nearest lines on each side, and the headers that the first line is indented under."""
    before, after = text[: first - 1], text[first - 1 + size :]
    found: Counter[tuple[str, str]] = Counter()
    found.update(("before", line) for line in _nearest(reversed(before)))
    found.update(("after", line) for line in _nearest(iter(after)))
    depth = _indent(text[first - 1])
    for line in reversed(before):
        if depth == 0:
            break
        if line.strip() and _indent(line) < depth:
            depth = _indent(line)
            found["header", line] += HEADER_WEIGHT
    return found


def _nearest(lines: Iterator[str]) -> Iterator[str]:
    count = 0
    for line in lines:
        if line.strip():
            yield line
            count += 1
            if count == SURROUNDING_LINES:
                return


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
