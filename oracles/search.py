"""What the oracles have in common: a search is a pure function of its attempts so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Protocol

from games.metrics import Estimate
from oracles.mixture import paired_difference
from oracles.state import EvolutionRecord


@dataclass(frozen=True)
class Screening:
    """What a few episodes against each opponent said of a program, before full matches."""

    score: Estimate
    """Mean utility against sigma; all programs of a task are screened on the same episodes."""
    behaviour: tuple[float | None, ...]
    """How it plays, by the game's axes (:mod:`games.behaviour`); None where unknown."""
    length: int
    """Its lines of code, without comments and docstrings."""


@dataclass(frozen=True)
class Attempt:
    """A proposal that has ended, as the search sees it."""

    fit: bool
    """Accepted, played against all of sigma, and free of faults unless those are allowed."""
    score: Estimate | None
    """Mean utility against sigma; None when it was not played."""
    payoffs: tuple[tuple[float, ...], ...]
    """By opponent in the support of sigma, one payoff per episode; empty when not played."""
    exhausted: str = ""
    """Why no program was asked for, in words; empty when one was."""
    screening: Screening | None = None
    """None when it was not screened."""
    bounds: tuple[float, ...] = ()
    """Of its payoffs (:mod:`games.metrics`), by opponent; empty when not played."""


Attempts = Sequence[Attempt | None]
"""Attempt i + 1 at index i; None while it is in work."""


@dataclass(frozen=True)
class Proposal:
    """An attempt that may be made now; several may be in work at the same time."""

    attempt: int
    """Its number, from 1. Attempts are numbered without gaps in the order they are proposed."""
    parent: int | None
    """Index (number - 1) of the attempt that it refines; None for a fresh program."""
    inspirations: tuple[int, ...] = ()
    """Indexes of further attempts whose programs the writer is shown."""
    knows: int | None = None
    """How many attempts, counted from the first, the writer is told about; None: all before it."""
    island: int | None = None
    """Which population of an evolution it is proposed to, from 0."""
    worth: Callable[[Screening], bool] | None = None
    """Whether a program that was screened is played in full; None where nothing is screened."""


@dataclass(frozen=True)
class Judgement:
    """What an attempt changed. Both None: it was not fit, so there was nothing to compare."""

    improved: bool | None
    paired_difference: Estimate | None
    """Against the incumbent of its time; None for the first fit attempt."""
    parent: int | None
    """The incumbent that it was asked to refine."""


@dataclass(frozen=True)
class Search:
    """How far a search has come."""

    judgements: tuple[Judgement, ...]
    """One per attempt, in order, up to the first that is in work."""
    incumbent: int | None
    """Index of the best attempt so far; None while none was fit."""
    finished: bool
    reason: str
    """Why it finished, as a person reads it; empty while it goes on."""
    proposals: tuple[Proposal, ...] = ()
    """The attempts that are in work or may be begun, in order; empty when it has finished."""


class Searcher(Protocol):
    """One search for a best response, made anew for each fold.

    What it says is a function of the attempts alone: another result may end a proposal and open
    others, but never takes back one that was open. An attempt that has entered never changes from
    one call to the next, so a searcher may remember what it led to.
    """

    def search(self, attempts: Attempts) -> Search: ...

    def record(self) -> EvolutionRecord | None:
        """The program database after the last search; None where there is none."""
        ...


def entered(attempts: Attempts) -> list[Attempt]:
    """The attempts that a search may judge: results enter in the order of their numbers."""
    return [item for item in takewhile(lambda item: item is not None, attempts) if item is not None]


def open_numbers(attempts: Attempts, *, limit: int, window: int) -> list[int]:
    """Numbers of the attempts that are in work or may be begun; none when the search is over.

    Attempt ``i`` may be begun once ``i - window`` has entered. An attempt for which nothing more
    could be asked is the last to let others begin.
    """
    done = len(entered(attempts))
    spent = [i for i, item in enumerate(attempts) if item is not None and item.exhausted]
    last = min([limit, done + window, *(index + window for index in spent)])
    return [
        number
        for number in range(done + 1, last + 1)
        if number > len(attempts) or attempts[number - 1] is None
    ]


def exhaustion(attempts: Attempts) -> str:
    """Why nothing more could be asked, in words; empty while more could be."""
    return next((item.exhausted for item in attempts if item is not None and item.exhausted), "")


class Ranking:
    """The attempts that have entered, each compared with the best before it.

    An attempt becomes the best only when the mean of its paired differences (same opponents, same
    seeds, weighted by sigma) is positive, so the earlier of two equal ones stays.
    """

    def __init__(self, weights: Sequence[float]) -> None:
        self._weights = weights
        self._best: Attempt | None = None
        self.judgements: list[Judgement] = []
        self.best: int | None = None

    def enter(self, attempts: Attempts) -> list[Attempt]:
        """Judge what has entered since the last call; those attempts, in order."""
        new = entered(attempts[len(self.judgements) :])
        for attempt in new:
            self.judgements.append(self._judge(attempt))
            if self.judgements[-1].improved:
                self.best, self._best = len(self.judgements) - 1, attempt
        return new

    def _judge(self, attempt: Attempt) -> Judgement:
        if not attempt.fit:
            return Judgement(None, None, self.best)
        if self._best is None:
            return Judgement(True, None, None)
        difference = paired_difference(self._weights, attempt, self._best)
        return Judgement(difference.mean > 0, difference, self.best)

    @property
    def best_score(self) -> Estimate | None:
        return None if self._best is None else self._best.score
