"""What the oracles have in common: a search is a pure function of its attempts so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from games.metrics import Estimate
from oracles.mixture import paired_difference


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


Searcher = Callable[[Attempts, Sequence[float]], Search]
"""From the attempts and sigma's weights over the support to the state of the search.

A pure function: adding a result to the attempts may end a proposal and open others, but never takes
back one that was open.
"""


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


def compare(
    attempts: Sequence[Attempt], weights: Sequence[float]
) -> tuple[list[Judgement], int | None]:
    """Each attempt against the best before it, and the index of the best of all.

    An attempt becomes the best only when the mean of its paired differences (same opponents, same
    seeds, weighted by sigma) is positive, so the earlier of two equal ones stays.
    """
    judgements: list[Judgement] = []
    best: int | None = None
    for index, attempt in enumerate(attempts):
        if not attempt.fit:
            judgements.append(Judgement(None, None, best))
            continue
        if best is None:
            judgements.append(Judgement(True, None, None))
            best = index
            continue
        difference = paired_difference(weights, attempt.payoffs, attempts[best].payoffs)
        judgements.append(Judgement(difference.mean > 0, difference, best))
        if difference.mean > 0:
            best = index
    return judgements, best
