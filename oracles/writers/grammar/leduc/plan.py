"""What a Leduc program is made of: one choice for each building block."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations


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
    """The choices of one program; equal :meth:`normal` plans print equal programs."""

    base: Base
    reading: Reading
    memory: Memory
    answer: Answer
    odds: int
    """Odds against a balanced opponent that are asked for before leaving the base."""
    suspects: tuple[Suspect, ...] = ()
    """In the order of :class:`Suspect`, without repetition."""
    honesty: float = 0.7
    """How far raises mean strength, 0 to 1, for the reading ``honest``."""
    fading: float = 0.97
    """What a hand counts after the next one, 0.5 to 0.999, for the memory ``fading``."""
    patience: int = 4
    """Imaginary hands of usual play that are counted before the first real one."""

    def normal(self) -> Plan:
        """The same program, with constants that it does not print at their defaults."""
        plan = self
        if plan.reading is not Reading.HONEST:
            plan = replace(plan, honesty=Plan.honesty)
        return plan if plan.memory is Memory.FADING else replace(plan, fading=Plan.fading)


BLOCKS = ("base", "reading", "memory", "answer", "odds", "suspects")
"""The fields of a plan that are choices among named blocks."""
ODDS = (20, 50, 100, 200)
"""Choices for :attr:`Plan.odds`: at most one false alarm in so many matches."""
MAX_SUSPECTS = 2
SUSPECT_SETS: tuple[tuple[Suspect, ...], ...] = tuple(
    chosen for size in range(MAX_SUSPECTS + 1) for chosen in combinations(Suspect, size)
)
