"""A difference as pages show it: folded blocks of highlighted, inert rows, with what is said of
each change, and a summary of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.utils.safestring import SafeString

from csro_web.policies import changes, code, diff, program_lines
from csro_web.policies.changes import Change, Label
from csro_web.policies.code import OutlineEntry, Token
from csro_web.policies.diff import Row, Side
from csro_web.policies.moves import Move, moved_blocks
from csro_web.policies.reintroduced import Version, reintroduced

Lines = Sequence[Sequence[Token]]
Highlight = Callable[[str], Lines]


@dataclass(frozen=True)
class Chip:
    """What is said beside a line; ``href`` leads to its other end, if it has one."""

    words: str
    href: str = ""


@dataclass(frozen=True)
class ShownSide:
    """``mark`` is ``moved`` or ``back`` (in an earlier version, gone, there again), or empty."""

    number: int
    html: SafeString
    mark: str = ""
    chip: Chip | None = None


@dataclass(frozen=True)
class Bar:
    """The line above a change: its number, what it looks to be, and where it stands."""

    change: Change
    where: str


@dataclass(frozen=True)
class ShownRow:
    kind: str
    left: ShownSide | None
    right: ShownSide | None
    bar: Bar | None = None
    spacing_only: bool = False


@dataclass(frozen=True)
class ShownBlock:
    folded: bool
    rows: tuple[ShownRow, ...]


@dataclass(frozen=True)
class Summary:
    """What the whole difference comes to."""

    totals: diff.Totals
    bars: tuple[Bar, ...]
    labels: tuple[tuple[Label, str, int], ...]
    """Label, its words and how many changes have it; moves are counted by blocks instead."""
    moves: int
    back: int
    places: tuple[str, ...]
    same_program: bool


@dataclass(frozen=True)
class Shown:
    blocks: list[ShownBlock]
    summary: Summary


def plain(old: str, new: str, *, highlight: Highlight) -> list[ShownBlock]:
    """Blocks of two texts that are no programs, without anything said of the changes."""
    rows = diff.compare(old, new)
    tokens = highlight(old), highlight(new)
    return [
        ShownBlock(
            block.folded,
            tuple(
                ShownRow(row.kind, _side(row.left, tokens[0]), _side(row.right, tokens[1]))
                for row in block.rows
            ),
        )
        for block in diff.fold(rows)
    ]


def programs(
    old: str, new: str, *, earlier: Sequence[Version] = (), ignore_spacing: bool = False
) -> Shown:
    """Two programs; ``earlier`` are the versions before ``old``, oldest first."""
    keys = (
        (program_lines.spacing_keys(old), program_lines.spacing_keys(new))
        if ignore_spacing
        else None
    )
    rows = diff.compare(old, new, keys=keys)
    moves = moved_blocks(rows)
    back = reintroduced(rows, old, earlier)
    found = changes.changes(rows, old, new, moves)
    entries = code.outline(old), code.outline(new)
    bars = {one.first: Bar(one, _where(rows[one.first : one.last + 1], *entries)) for one in found}
    marks = _marks_old(moves), {**_marks_back(back), **_marks_new(moves)}
    tokens = code.highlight(old), code.highlight(new)
    shown = [
        ShownRow(
            row.kind,
            _side(row.left, tokens[0], marks[0]),
            _side(row.right, tokens[1], marks[1]),
            bars.get(place),
            row.spacing_only,
        )
        for place, row in enumerate(rows)
    ]
    return Shown(_blocks(rows, shown), _summary(rows, old, new, list(bars.values()), moves, back))


def _blocks(rows: Sequence[Row], shown: Sequence[ShownRow]) -> list[ShownBlock]:
    blocks, at = [], 0
    for block in diff.fold(rows):
        blocks.append(ShownBlock(block.folded, tuple(shown[at : at + len(block.rows)])))
        at += len(block.rows)
    return blocks


Mark = tuple[str, Chip | None]


def _side(
    side: Side | None, tokens: Lines, marks: dict[int, Mark] | None = None
) -> ShownSide | None:
    if side is None:
        return None
    html = code.line_html(tokens[side.number - 1], side.changed)
    return ShownSide(side.number, html, *(marks or {}).get(side.number, ("", None)))


def _marks_old(moves: Sequence[Move]) -> dict[int, Mark]:
    return {
        move.old + k: ("moved", Chip(f"moved to line {move.new}", f"#B{move.new}-B{move.new_end}"))
        if k == 0
        else ("moved", None)
        for move in moves
        for k in range(move.length)
    }


def _marks_new(moves: Sequence[Move]) -> dict[int, Mark]:
    return {
        move.new + k: (
            "moved",
            Chip(f"moved from line {move.old}", f"#A{move.old}-A{move.old_end}"),
        )
        if k == 0
        else ("moved", None)
        for move in moves
        for k in range(move.length)
    }


def _marks_back(back: dict[int, str]) -> dict[int, Mark]:
    """The first of neighbouring lines says where they were."""
    found: dict[int, Mark] = {}
    ordered = sorted(back.items())
    for _, group in groupby(
        enumerate(ordered), key=lambda item: (item[1][0] - item[0], item[1][1])
    ):
        members = [number for _, (number, _) in group]
        chip = Chip(f"was in {back[members[0]]}")
        found |= {n: ("back", chip if n == members[0] else None) for n in members}
    return found


def _where(rows: Sequence[Row], old: Sequence[OutlineEntry], new: Sequence[OutlineEntry]) -> str:
    """The innermost functions or classes that a change stands in, of the new text if it can."""
    sides = [(new, row.right) for row in rows] + [(old, row.left) for row in rows]
    names = [
        code.name_at(entries, side.number) for entries, side in sides if side and side.text.strip()
    ]
    return ", ".join(list(dict.fromkeys(filter(None, names)))[:3])


def _summary(
    rows: Sequence[Row],
    old: str,
    new: str,
    bars: Sequence[Bar],
    moves: Sequence[Move],
    back: dict[int, str],
) -> Summary:
    counts = Counter(bar.change.label for bar in bars)
    places = [name for bar in bars for name in bar.where.split(", ") if name]
    return Summary(
        totals=diff.totals(rows),
        bars=tuple(bars),
        labels=tuple(
            (one, changes.WORDS[one], counts[one])
            for one in Label
            if counts[one] and one is not Label.MOVED
        ),
        moves=len(moves),
        back=len(back),
        places=tuple(dict.fromkeys(places)),
        same_program=old != new and changes.does_the_same(old, new),
    )
