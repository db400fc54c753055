"""What a Leduc program is made of: one choice for each building block."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Base(StrEnum):
    """How it plays against someone it knows nothing about; all three are near an equilibrium."""

    MIXED = "mixed"
    STRAIGHTFORWARD = "straightforward"
    TRAPPING = "trapping"


class Reading(StrEnum):
    """What the opponent's actions say about its card."""

    HONEST = "honest"
    MEASURED = "measured"
    NONE = "none"


class Memory(StrEnum):
    """Which past hands count."""

    WHOLE = "whole"
    FADING = "fading"


class Answer(StrEnum):
    """How the best answer to a model of the opponent is found."""

    LOOKAHEAD = "lookahead"
    POT_ODDS = "pot_odds"


class Suspect(StrEnum):
    """A kind of player known by its habits before the match begins."""

    COIN_FLIPPER = "coin flipper"
    BULLY = "bully"
    STATION = "station"
    ROCK = "rock"


@dataclass(frozen=True)
class Plan:
    """The choices of one program; equal plans print equal programs."""

    base: Base
    reading: Reading
    memory: Memory
    answer: Answer
    odds: int
    """Odds against a balanced opponent that are asked for before leaving the base."""
    suspects: tuple[Suspect, ...] = ()
    """In the order of :class:`Suspect`, without repetition."""


ODDS = (20, 50, 100, 200)
"""Choices for :attr:`Plan.odds`: at most one false alarm in so many matches."""
MAX_SUSPECTS = 2
