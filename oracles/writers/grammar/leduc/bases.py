"""Betting tables for an opponent that is not known yet, each close to an equilibrium.

The tables were found by regret matching on the exact game tree with merged hands, against a mixture
of an equilibrium and the best response to the table itself, and rounded to ten percent. Exact
figures are in ``docs/explanation/grammar-leduc.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from oracles.writers.grammar.leduc.plan import Base

Row = tuple[int, int, int, int, int]
"""Percent: bet when first, bet after a check, fold to a bet, raise a bet, fold to a re-raise."""


@dataclass(frozen=True)
class BaseTable:
    """``opening`` has a row for Jack, Queen, King; ``later`` three times the five hands."""

    title: str
    reason: str
    opening: tuple[Row, Row, Row]
    later: Mapping[str, tuple[Row, Row, Row, Row, Row]]
    """By who raised last before the public card: ``me``, ``them``, ``nobody``."""


HANDS = ("jack", "low queen", "high queen", "king", "pair")
"""Second round hands, weakest first; a queen is high when the public card is a Jack."""

BASES: Mapping[Base, BaseTable] = {
    Base.MIXED: BaseTable(
        title="Balanced betting",
        reason="strong hands and bluffs look alike, so that a stranger learns little",
        opening=((10, 20, 90, 0, 0), (50, 70, 0, 20, 0), (60, 100, 0, 50, 0)),
        later={
            "me": (
                (100, 100, 100, 0, 100),
                (90, 70, 0, 0, 60),
                (0, 0, 100, 0, 100),
                (0, 30, 0, 0, 0),
                (100, 100, 0, 100, 0),
            ),
            "them": (
                (100, 100, 100, 0, 100),
                (0, 20, 60, 0, 100),
                (0, 0, 100, 0, 100),
                (0, 0, 0, 0, 100),
                (100, 100, 0, 100, 0),
            ),
            "nobody": (
                (20, 0, 100, 0, 100),
                (70, 20, 10, 0, 0),
                (0, 0, 100, 0, 50),
                (0, 10, 90, 0, 50),
                (20, 100, 0, 100, 0),
            ),
        },
    ),
    Base.STRAIGHTFORWARD: BaseTable(
        title="Straightforward betting",
        reason="kings and pairs bet at once, because callers pay them and waiting earns nothing",
        opening=((20, 20, 90, 0, 0), (90, 80, 0, 40, 0), (100, 100, 0, 100, 0)),
        later={
            "me": (
                (100, 100, 100, 0, 100),
                (60, 40, 0, 0, 0),
                (0, 0, 100, 0, 100),
                (0, 40, 0, 0, 0),
                (100, 100, 0, 100, 0),
            ),
            "them": (
                (100, 100, 100, 0, 100),
                (0, 0, 40, 0, 100),
                (0, 0, 100, 0, 100),
                (0, 0, 0, 0, 100),
                (100, 100, 0, 100, 0),
            ),
            "nobody": (
                (10, 10, 100, 0, 100),
                (30, 20, 0, 0, 0),
                (0, 0, 100, 0, 50),
                (50, 50, 40, 40, 50),
                (100, 100, 0, 100, 0),
            ),
        },
    ),
    Base.TRAPPING: BaseTable(
        title="Trapping",
        reason="kings wait and pairs check first, so that eager opponents bet for us",
        opening=((0, 20, 90, 0, 0), (0, 80, 0, 0, 0), (0, 100, 0, 0, 0)),
        later={
            "me": (
                (100, 100, 100, 0, 100),
                (0, 20, 0, 0, 0),
                (20, 0, 100, 0, 100),
                (50, 80, 0, 0, 0),
                (100, 100, 0, 100, 0),
            ),
            "them": (
                (100, 100, 100, 0, 100),
                (0, 40, 30, 0, 100),
                (0, 0, 100, 0, 100),
                (0, 0, 0, 0, 0),
                (0, 100, 0, 100, 0),
            ),
            "nobody": (
                (0, 0, 100, 0, 100),
                (90, 20, 0, 0, 0),
                (0, 0, 100, 0, 50),
                (0, 50, 90, 0, 50),
                (0, 100, 0, 100, 0),
            ),
        },
    ),
}
