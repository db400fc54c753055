"""What became of a piece of work that a worker was asked to do."""

from __future__ import annotations

from enum import Enum, auto


class Outcome(Enum):
    SAVED = auto()
    NOT_TO_BE_HAD = auto()
    """Over, in work elsewhere, not due, or not wanted now (its run is paused)."""
    GIVEN_BACK = auto()
    """Stopped before its end: the worker ends, others go first, or it can only be done later."""
    DISCARDED = auto()
    """Done, but the lease was lost or nobody wants it any more: nothing was saved."""
    FAILED = auto()
