"""The payoff matrix as a heat map that can be read without its colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from csro_web.pages import numbers

LEVELS = 5
MOST_WITH_NUMBERS = 14
"""Up to so many policies a cell holds its number; beyond, its sign alone."""
MOST_SHOWN = 32


@dataclass(frozen=True)
class Cell:
    """What a heat map needs of a payoff: the row policy's mean against the column policy."""

    mean: float
    low: float | None
    high: float | None
    match: int

    def mirrored(self) -> Cell:
        """The same match from the other side (the games are zero-sum)."""
        return Cell(
            -self.mean,
            None if self.high is None else -self.high,
            None if self.low is None else -self.low,
            self.match,
        )

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves no doubt about the sign."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True)
class Member:
    """A policy on the axes."""

    index: int
    name: str
    pk: int
    withdrawn: bool = False


@dataclass(frozen=True)
class DrawnCell:
    x: float
    y: float
    css: str
    text: str
    cell: Cell | None
    row: Member
    column: Member
    written: str


@dataclass(frozen=True)
class HeatMap:
    members: tuple[Member, ...]
    rows: tuple[tuple[DrawnCell, ...], ...]
    left: int
    top: int
    cell_width: int
    cell_height: int
    largest: float
    with_numbers: bool

    @property
    def width(self) -> int:
        return self.left + self.cell_width * len(self.members) + 2

    @property
    def height(self) -> int:
        return self.top + self.cell_height * len(self.members) + 2

    @property
    def axis(self) -> list[tuple[Member, float, float]]:
        """Each policy with the middle of its column and of its row."""
        return [
            (
                member,
                self.left + (place + 0.5) * self.cell_width,
                self.top + (place + 0.5) * self.cell_height,
            )
            for place, member in enumerate(self.members)
        ]


def find(cells: Mapping[tuple[int, int], Cell], row: int, column: int) -> Cell | None:
    """The payoff of ``row`` against ``column``; only pairs with row > column are stored."""
    if row > column:
        return cells.get((row, column))
    mirror = cells.get((column, row))
    return mirror.mirrored() if mirror else None


def draw(
    members: Sequence[Member], cells: Mapping[tuple[int, int], Cell], unit: str = ""
) -> HeatMap:
    """Lay the matrix out; ``cells`` holds the pairs with row > column, by policy index."""
    largest = max((abs(cell.mean) for cell in cells.values()), default=0.0)
    with_numbers = len(members) <= MOST_WITH_NUMBERS
    left, top = 152, 24
    width, height = (46, 28) if with_numbers else (19, 19)
    rows = tuple(
        tuple(
            _drawn(row, column, find(cells, row.index, column.index), largest, with_numbers, unit)(
                left + place * width, top + line * height
            )
            for place, column in enumerate(members)
        )
        for line, row in enumerate(members)
    )
    return HeatMap(tuple(members), rows, left, top, width, height, largest, with_numbers)


def _drawn(
    row: Member, column: Member, cell: Cell | None, largest: float, with_numbers: bool, unit: str
):
    if cell is None:
        css, text = ("self", "") if row.index == column.index else ("missing", "?")
        written = "itself" if css == "self" else numbers.UNKNOWN
    else:
        css = f"{tone(cell, largest)}"
        written = f"{numbers.payoff(cell.mean, cell.low, cell.high)} {unit}".strip()
        text = short_number(cell.mean) if with_numbers else sign(cell)

    def at(x: float, y: float) -> DrawnCell:
        return DrawnCell(x, y, css, text, cell, row, column, written)

    return at


def tone(cell: Cell, largest: float) -> str:
    """CSS class: ``cold-1`` to ``cold-5`` for gains, ``warm-`` for losses, else ``flat``."""
    if not cell.is_clear and (cell.low is not None or cell.mean == 0):
        return "flat"
    level = min(LEVELS, 1 + int(LEVELS * abs(cell.mean) / largest)) if largest else 1
    return f"{'cold' if cell.mean > 0 else 'warm'}-{level}"


def sign(cell: Cell) -> str:
    if cell.mean == 0 or tone(cell, 1.0) == "flat":
        return "·"
    return "+" if cell.mean > 0 else numbers.MINUS


def short_number(value: float) -> str:
    """A payoff in at most six characters: ``+284``, ``−3.1``, ``+1.2k``."""
    size = abs(value)
    if size >= 10_000:
        text = f"{value / 1000:+.0f}k"
    elif size >= 99.95:
        text = f"{value:+.0f}"
    else:
        text = f"{value:+.1f}"
    if text in ("+0.0", "-0.0"):
        return "0.0"
    return text.replace("-", numbers.MINUS)


def choose_members(
    members: Sequence[Member], upper_weights: Mapping[int, float], most: int = MOST_SHOWN
) -> list[Member]:
    """At most ``most`` policies: those that may matter most in the mixture, then the newest."""
    if len(members) <= most:
        return list(members)
    ranked = sorted(members, key=lambda one: (-upper_weights.get(one.index, 0.0), -one.index))
    return sorted(ranked[:most], key=lambda one: one.index)
