"""The boxes that people write in, as pages show them and as forms send them back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.urls import reverse

from csro_web.accounts.models import User
from csro_web.pages.keys import row_number
from csro_web.policies.programs import Program, Reference, address, find, reference
from csro_web.reviews.anchors import Lines
from csro_web.reviews.drafts import Selection
from csro_web.reviews.errors import ReviewError
from csro_web.reviews.models import Comment, Side, Thread


@dataclass(frozen=True)
class Box:
    """A place to write a comment. ``key`` is empty in what the page's script makes copies of."""

    action: str
    keep: str
    """The address that takes the draft while it is typed."""
    label: str
    at: Reference
    """The program on whose page it is."""
    key: str = ""
    text: str = ""
    seen: str = ""
    side: str = ""
    other: Reference | None = None
    first: int | None = None
    last: int | None = None
    wants_confirmation: bool = False
    draft: int | None = None
    """The kept comment, which can be discarded."""
    kept_at: datetime | None = None

    @property
    def opens_thread(self) -> bool:
        return bool(self.side)

    @property
    def id(self) -> str:
        return self.key or f"new-{self.side}"

    @property
    def by_number(self) -> Box:
        """The same with a key, for the form that asks for line numbers."""
        return replace(self, key=str(uuid4()), label="Your comment")


def for_new_thread(
    program: Program, *, side: Side = Side.CODE, other: Program | None = None, key: str = ""
) -> Box:
    return Box(
        action=address(program, "comment"),
        keep=address(program, "comment-draft"),
        label="Comment",
        at=reference(program),
        side=side,
        other=None if other is None else reference(other),
        key=key,
    )


def for_reply(thread: Thread, program: Program, *, seen: str, draft: Comment | None = None) -> Box:
    return Box(
        action=reverse("thread-reply", args=[thread.pk]),
        keep=reverse("thread-reply-draft", args=[thread.pk]),
        label="Reply",
        at=reference(program),
        seen=seen,
        **_kept(draft),
    )


def for_draft_thread(draft: Comment, program: Program) -> Box:
    """The box of a thread that is not published yet."""
    thread = draft.thread
    where = f"line {thread.first_line}"
    if thread.last_line != thread.first_line:
        where = f"lines {thread.first_line} to {thread.last_line}"
    return Box(
        action=address(program, "comment"),
        keep=address(program, "comment-draft"),
        label=f"Your draft on {where}",
        at=reference(program),
        side=thread.side,
        other=thread.other_reference,
        first=thread.first_line,
        last=thread.last_line,
        wants_confirmation=thread.wants_confirmation,
        **_kept(draft),
    )


def again(
    box: Box,
    text: str,
    *,
    seen: str | None = None,
    lines: tuple[str | None, str | None] | None = None,
) -> Box:
    """The box with what a person typed into it, when it could not be taken."""
    changes: dict[str, Any] = {"text": text, "key": box.key or str(uuid4())}
    if seen is not None:
        changes["seen"] = seen
    if lines is not None:
        first, last = (row_number(one or "") for one in lines)
        changes |= {"first": first, "last": last}
    return replace(box, **changes)


def _kept(draft: Comment | None) -> dict[str, Any]:
    if draft is None:
        return {"key": str(uuid4())}
    return {
        "key": str(draft.key),
        "text": draft.body,
        "draft": draft.pk,
        "kept_at": draft.updated_at,
    }


def key_of(given: Mapping[str, str]) -> UUID:
    """The box's key; a new one where a form has none."""
    text = given.get("key", "")
    if not text:
        return uuid4()
    try:
        return UUID(text)
    except ValueError as error:
        raise ReviewError("This form is damaged: reload the page and try again.") from error


def body_of(given: Mapping[str, str]) -> str:
    return given.get("body", "").replace("\r\n", "\n")


def selection_of(given: Mapping[str, str], person: User) -> Selection:
    """Which lines a form is about. What it was compared with counts if the person may see it.

    Raises:
        ReviewError: when it names none.
    """
    first = row_number(given.get("first", "").strip())
    last = row_number(given.get("last", "").strip() or given.get("first", "").strip())
    if first is None or last is None:
        raise ReviewError("Say which lines you mean: their first and last number.")
    side = given.get("side", "")
    found = find(given.get("other", ""), person)
    return Selection(
        lines=Lines(min(first, last), max(first, last)),
        side=Side(side) if side in Side.values and found is not None else Side.CODE,
        other=found,
    )
