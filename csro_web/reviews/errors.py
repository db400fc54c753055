"""Why something was not done. The message tells people; their text is kept in every case."""

from __future__ import annotations


class ReviewError(Exception):
    """It cannot be done as asked; the message says why and what to do."""


class Stale(ReviewError):
    """The page that was answered is not how things are any more; ``changes`` says what happened."""

    def __init__(self, changes: list[str]) -> None:
        super().__init__(" ".join(changes))
        self.changes = changes


class AlreadyPublished(ReviewError):
    """The box or form was sent once before, and what it held then is published."""
