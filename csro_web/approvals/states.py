"""What a policy's approval can be, and every way from one state to another: one table.

``docs/reference/approval-states.md`` is made of it (:func:`as_markdown`), and only
:mod:`csro_web.approvals.services` moves a policy along it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import models


class State(models.TextChoices):
    UNREVIEWED = "unreviewed", "Unreviewed"
    IN_REVIEW = "in_review", "In review"
    CHANGES_REQUESTED = "changes_requested", "Changes requested"
    APPROVED = "approved", "Approved"
    REJECTED = "rejected", "Rejected"


class Event(models.TextChoices):
    COMMENTED = "commented", "a review with comments was published"
    LOOKS_GOOD = "looks_good", "a review says that it looks good"
    CHANGES_REQUESTED = "changes_requested", "somebody asked for changes"
    THREAD_OPENED = "thread_opened", "a thread was opened, or opened again"
    APPROVED = "approved", "an approver approved it"
    REJECTED = "rejected", "an approver rejected it"
    APPROVAL_WITHDRAWN = "approval_withdrawn", "an approver took the approval back"
    TAKEN_UP = "taken_up", "an approver had it reviewed again"
    POLICY_WITHDRAWN = "policy_withdrawn", "the policy was taken out of its population"
    CONTENT_DIFFERS = "content_differs", "the stored program is not the approved one"


@dataclass(frozen=True)
class Move:
    """``event`` leads from ``before`` to ``after``. ``right`` is a name of the permission table, or
    empty where the application itself moves."""

    before: State
    event: Event
    after: State
    right: str
    condition: str = ""


_S, _E = State, Event
_READY = "all conditions that its approval page lists hold"
_LAPSES = "the approval lapses"
_INDEPENDENT = "the approver had no part in the policy; a reason"

TABLE: tuple[Move, ...] = (
    Move(_S.UNREVIEWED, _E.COMMENTED, _S.IN_REVIEW, "reviews.write"),
    Move(_S.UNREVIEWED, _E.LOOKS_GOOD, _S.IN_REVIEW, "reviews.write"),
    Move(_S.UNREVIEWED, _E.CHANGES_REQUESTED, _S.CHANGES_REQUESTED, "reviews.write"),
    Move(_S.UNREVIEWED, _E.THREAD_OPENED, _S.IN_REVIEW, "reviews.write"),
    Move(_S.UNREVIEWED, _E.APPROVED, _S.APPROVED, "approvals.decide", _READY),
    Move(_S.UNREVIEWED, _E.REJECTED, _S.REJECTED, "approvals.decide", "a reason"),
    Move(_S.IN_REVIEW, _E.CHANGES_REQUESTED, _S.CHANGES_REQUESTED, "reviews.write"),
    Move(_S.IN_REVIEW, _E.APPROVED, _S.APPROVED, "approvals.decide", _READY),
    Move(_S.IN_REVIEW, _E.REJECTED, _S.REJECTED, "approvals.decide", "a reason"),
    Move(
        _S.CHANGES_REQUESTED,
        _E.CHANGES_REQUESTED,
        _S.CHANGES_REQUESTED,
        "reviews.write",
        "one more person asks; that is kept",
    ),
    Move(
        _S.CHANGES_REQUESTED,
        _E.LOOKS_GOOD,
        _S.IN_REVIEW,
        "reviews.write",
        "everybody who asked for changes says so",
    ),
    Move(_S.CHANGES_REQUESTED, _E.TAKEN_UP, _S.IN_REVIEW, "approvals.decide", _INDEPENDENT),
    Move(_S.CHANGES_REQUESTED, _E.REJECTED, _S.REJECTED, "approvals.decide", "a reason"),
    Move(_S.APPROVED, _E.THREAD_OPENED, _S.IN_REVIEW, "reviews.write", _LAPSES),
    Move(
        _S.APPROVED,
        _E.CHANGES_REQUESTED,
        _S.CHANGES_REQUESTED,
        "reviews.write",
        _LAPSES,
    ),
    Move(
        _S.APPROVED,
        _E.APPROVAL_WITHDRAWN,
        _S.IN_REVIEW,
        "approvals.decide",
        f"a reason; {_LAPSES}",
    ),
    Move(_S.APPROVED, _E.REJECTED, _S.REJECTED, "approvals.decide", f"a reason; {_LAPSES}"),
    Move(_S.APPROVED, _E.POLICY_WITHDRAWN, _S.IN_REVIEW, "changes.withdraw", _LAPSES),
    Move(_S.APPROVED, _E.CONTENT_DIFFERS, _S.IN_REVIEW, "", _LAPSES),
    Move(_S.REJECTED, _E.TAKEN_UP, _S.IN_REVIEW, "approvals.decide", _INDEPENDENT),
)

_BY_START: Mapping[tuple[State, Event], Move] = {(move.before, move.event): move for move in TABLE}


def move_from(state: State, event: Event) -> Move | None:
    """The move that ``event`` makes from ``state``; None when it changes nothing there."""
    return _BY_START.get((state, event))


def as_markdown() -> str:
    """The reference page of the states, whole."""
    rows = [
        f"| {move.before.label} | {move.event.label} | {move.after.label} | "
        f"{f'`{move.right}`' if move.right else 'the application'} | {move.condition or 'none'} |"
        for move in TABLE
    ]
    return "\n".join([_HEAD, *rows, _TAIL])


_HEAD = """# The states of an approval

This page is made from the table in `csro_web/approvals/states.py`; a test checks that it is
current. [What an approval means](../explanation/what-an-approval-means.md) tells why.

A policy is *unreviewed*, *in review*, *changes requested*, *approved* or *rejected*. What happens
moves it as follows; what does not stand here changes nothing.

| from | what happens | to | who may (right) | conditions |
|---|---|---|---|---|"""

_TAIL = """
Every move is kept with its person, time and reason, and is in the audit trail.

An approval that lapsed is kept too, with the reason. The policy can be approved again, by a new
approval, when all conditions hold.
"""
