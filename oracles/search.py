"""What the oracles have in common: a search is a pure function of its attempts so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from games.metrics import Estimate


@dataclass(frozen=True)
class Attempt:
    """A proposal as the search sees it."""

    fit: bool
    """Accepted, played against all of sigma, and free of faults unless those are allowed."""
    score: Estimate | None
    """Mean utility against sigma; None when it was not played."""
    payoffs: tuple[tuple[float, ...], ...]
    """By opponent in the support of sigma, one payoff per episode; empty when not played."""


@dataclass(frozen=True)
class Proposal:
    """An attempt that may be made now; several may be in work at the same time."""

    attempt: int
    """Its number, from 1. Attempts are numbered without gaps in the order they are proposed."""
    parent: int | None
    """Index (number - 1) of the attempt that it refines; None for a fresh program."""
    inspirations: tuple[int, ...] = ()
    """Indexes of further attempts whose programs the writer is shown."""


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
    """One per attempt, in order."""
    incumbent: int | None
    """The best attempt so far; None while none was fit."""
    finished: bool
    reason: str
    """Why it finished, as a person reads it; empty while it goes on."""


Searcher = Callable[[Sequence[Attempt], Sequence[float]], Search]
"""From the attempts and sigma's weights over the support to the state of the search."""
