"""Which lines of two texts belong together, and which characters of two lines differ. Pure.

Equal ends are matched first, then lines that occur once on either side (the "patience" of Bram
Cohen's diff, again inside each gap), then what is left by ``difflib.SequenceMatcher``. What lies
between equal lines is paired by likeness, in order. Every step has a bound on its work, so that no
text takes long; and the smaller text is always taken as the first, so that swapping the sides swaps
the answer.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

LEAST_LIKENESS = 0.4
"""Below it, two lines between equal ones are a removal and an addition, not an edit."""
MOST_PAIRINGS = 20_000
"""Pairs of lines whose likeness is looked at, in all; larger gaps are paired from the top."""
MOST_MATCHES = 250_000
"""Equal pairs in one gap beyond which matching it would take too long (thousands alike)."""
MOST_TOKENS = 1_500

Pair = tuple[int, int]
Range = tuple[int, int]
_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)


def pairs(left: Sequence[str], right: Sequence[str]) -> list[Pair]:
    """Indices of the lines that belong together, ascending on both sides: equal, or edits."""
    if list(left) > list(right):
        return [(i, j) for j, i in pairs(right, left)]
    equal = _equal_pairs(left, right, range(len(left)), range(len(right)))
    gaps = []
    i = j = 0
    for pair_i, pair_j in [*equal, (len(left), len(right))]:
        if i < pair_i and j < pair_j:
            gaps.append((range(i, pair_i), range(j, pair_j)))
        i, j = pair_i + 1, pair_j + 1
    return sorted([*equal, *_edits(left, right, gaps)])


def _edits(
    left: Sequence[str], right: Sequence[str], gaps: list[tuple[range, range]]
) -> list[Pair]:
    """Lines of the gaps that are edits of each other, small gaps first while the bound lasts."""
    found: list[Pair] = []
    looks = 0
    for old, new in sorted(gaps, key=lambda gap: len(gap[0]) * len(gap[1])):
        looks += len(old) * len(new)
        within = looks <= MOST_PAIRINGS
        found += _alike(left, right, old, new) if within else zip(old, new, strict=False)
    return found


def _equal_pairs(left: Sequence[str], right: Sequence[str], old: range, new: range) -> list[Pair]:
    """Equal lines in ``old`` and ``new`` that are matched with each other, in order."""
    found: list[Pair] = []
    waiting = [(old, new)]
    while waiting:
        old, new = waiting.pop()
        start, end = _equal_ends(left, right, old, new)
        found += zip(old[:start], new[:start], strict=True)
        found += zip(old[len(old) - end :], new[len(new) - end :], strict=True)
        old, new = old[start : len(old) - end], new[start : len(new) - end]
        if not old or not new:
            continue
        anchors = _anchors(left, right, old, new)
        if not anchors:
            found += _by_difflib(left, right, old, new)
            continue
        found += anchors
        i, j = old.start, new.start
        for pair_i, pair_j in [*anchors, (old.stop, new.stop)]:
            waiting.append((range(i, pair_i), range(j, pair_j)))
            i, j = pair_i + 1, pair_j + 1
    return sorted(found)


def _equal_ends(left: Sequence[str], right: Sequence[str], old: range, new: range) -> Pair:
    """How many lines are equal at the start, and how many of the others at the end."""
    most = min(len(old), len(new))
    start = end = 0
    while start < most and left[old[start]] == right[new[start]]:
        start += 1
    while end < most - start and left[old[-1 - end]] == right[new[-1 - end]]:
        end += 1
    return start, end


def _anchors(left: Sequence[str], right: Sequence[str], old: range, new: range) -> list[Pair]:
    """Lines that occur once in either range: the longest chain of them that keeps its order."""
    once_left = _once(left, old)
    once_right = _once(right, new)
    both = sorted((i, once_right[line]) for line, i in once_left.items() if line in once_right)
    tops: list[int] = []
    chains: list[list[int]] = []
    before: list[int | None] = []
    for index, (_, j) in enumerate(both):
        place = bisect_left(tops, j)
        before.append(chains[place - 1][-1] if place else None)
        if place == len(tops):
            tops.append(j)
            chains.append([index])
        else:
            tops[place] = j
            chains[place].append(index)
    longest: list[Pair] = []
    at = chains[-1][-1] if chains else None
    while at is not None:
        longest.append(both[at])
        at = before[at]
    return longest[::-1]


def _once(lines: Sequence[str], within: range) -> dict[str, int]:
    counts = Counter(lines[i] for i in within)
    return {lines[i]: i for i in within if counts[lines[i]] == 1}


def _by_difflib(left: Sequence[str], right: Sequence[str], old: range, new: range) -> list[Pair]:
    a, b = [left[i] for i in old], [right[j] for j in new]
    counts = Counter(b)
    if sum(counts[line] for line in a) > MOST_MATCHES:
        return [(i, j) for i, j in zip(old, new, strict=False) if left[i] == right[j]]
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return [
        (old[i + k], new[j + k])
        for i, j, size in matcher.get_matching_blocks()
        for k in range(size)
    ]


def _alike(left: Sequence[str], right: Sequence[str], old: range, new: range) -> list[Pair]:
    """Old and new lines that are edits of each other, in order: the alignment of most likeness."""
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


def changed_ranges(old: str, new: str) -> tuple[tuple[Range, ...], tuple[Range, ...]]:
    """Character ranges that differ, in the old and in the new line, by whole tokens."""
    if old > new:
        return changed_ranges(new, old)[::-1]
    a, b = _TOKEN.findall(old), _TOKEN.findall(new)
    start, end = _equal_ends(a, b, range(len(a)), range(len(b)))
    starts_a, starts_b = _starts(a), _starts(b)
    inner_a, inner_b = a[start : len(a) - end], b[start : len(b) - end]
    in_old, in_new = [], []
    for i1, i2, j1, j2 in _differences(inner_a, inner_b):
        in_old.append((starts_a[start + i1], starts_a[start + i2]))
        in_new.append((starts_b[start + j1], starts_b[start + j2]))
    return _merged(in_old), _merged(in_new)


def _differences(a: list[str], b: list[str]) -> list[tuple[int, int, int, int]]:
    """Ranges of tokens that differ; of very long lines everything between the equal ends."""
    counts = Counter(b)
    too_long = len(a) > MOST_TOKENS or len(b) > MOST_TOKENS
    if too_long or sum(counts[token] for token in a) > MOST_MATCHES // 5:
        return [(0, len(a), 0, len(b))]
    codes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return [(i1, i2, j1, j2) for tag, i1, i2, j1, j2 in codes if tag != "equal"]


def _starts(tokens: list[str]) -> list[int]:
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token))
    return starts


def _merged(ranges: list[Range]) -> tuple[Range, ...]:
    """Empty ranges dropped, touching ones joined."""
    merged: list[Range] = []
    for start, end in ranges:
        if start == end:
            continue
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(merged)
