"""Whether a thread is open at a version. Pure: reads no database.

What was decided at a version counts for it and for the versions that descend from it, until a
later version decides otherwise. So a question that an edit answers is resolved for the edit's
line and stays open for the program that was questioned.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from csro_web.reviews.lineage import Line
from csro_web.reviews.models import Decided, Decision, State, Thread


class Standing(StrEnum):
    OPEN = "open"
    WAITING = "waiting"
    """Resolved, but who asked has still to confirm it."""
    RESOLVED = "resolved"

    @property
    def is_open(self) -> bool:
        """Whether it stands in the way of an approval."""
        return self is not Standing.RESOLVED


def decided_at(thread: Thread, line: Line, decisions: Iterable[Decision]) -> Decided:
    """Who decided what counts at the first version of ``line``: the nearest decision, else its own.

    ``line`` leads back to the thread's own program; decisions of other threads are passed over.
    """
    by_version = {one.reference: one for one in decisions if one.thread_id == thread.pk}
    for version in line:
        if version == thread.reference:
            break
        if version in by_version:
            return by_version[version]
    return thread


def standing(thread: Thread, decided: Decided) -> Standing:
    if decided.state == State.OPEN:
        return Standing.OPEN
    if thread.wants_confirmation and decided.confirmed_at is None:
        return Standing.WAITING
    return Standing.RESOLVED
