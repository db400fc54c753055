"""What a game's table and the two sides at it say to each other.

A table plays one batch of episodes in lockstep. It sends each side a message with everything that
became known since the side's last decision, and gets one small number per decision back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from games.behaviour import Tally
from games.match import FaultKind

FORFEIT_KINDS: dict[int, FaultKind] = {
    -1: FaultKind.ILLEGAL_ACTION,
    -2: FaultKind.EXCEPTION,
    -3: FaultKind.CONSTRUCTOR,
    -4: FaultKind.TIMEOUT,
    -5: FaultKind.CRASH,
    -6: FaultKind.PROTOCOL,
}
"""Negative replies. A policy process can send the first three; a dead side sends the others."""

FORFEIT_CODES = {kind: code for code, kind in FORFEIT_KINDS.items()}


class Side(Protocol):
    """One seat's player in all episodes of a batch."""

    def send(self, message: bytes, decisions: int) -> None:
        """Ask for ``decisions`` decisions; what they are about is in ``message``."""

    def receive(self) -> bytes:
        """One signed byte per decision asked for: the index of a legal action, or a forfeit code.

        (Bytes, because arithmetic on a whole batch of them costs next to nothing.)
        """
        ...

    def violate(self, reply: int) -> int:
        """Called on a reply beyond the legal actions; gives the forfeit code that replaces it."""
        ...


@dataclass
class Seating:
    """A batch about to be played: who sits where, and what the episodes draw from."""

    sides: tuple[Side, Side]
    chance_seeds: Sequence[int]
    """One seed per episode for what the game itself draws."""
    record: bool = False


@dataclass
class Outcome:
    """A batch that was played. Payoffs are those of seat 0, one per episode."""

    payoffs: list[float]
    decisions: int
    forfeits: tuple[dict[int, int], dict[int, int]] = field(default_factory=lambda: ({}, {}))
    """Forfeited decisions by code, per seat."""
    tallies: tuple[Tally, Tally] = field(default_factory=lambda: ({}, {}))
    """What each seat did, as the game counts it."""
    records: list[Any] | None = None
    """Per episode what games/replay.py can show; None unless asked for."""


def signed(reply: int) -> int:
    """A reply as it was meant: the bytes from 128 on are the negative numbers."""
    return reply - 256 if reply > 127 else reply


def count_forfeits(counts: dict[int, int], code: int) -> None:
    counts[code] = counts.get(code, 0) + 1
