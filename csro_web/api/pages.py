"""Pages of lists: so many rows at a time, and no number that a database could not take."""

from __future__ import annotations

from ninja import Field, Schema
from ninja.pagination import LimitOffsetPagination

DEFAULT, MOST = 100, 1_000
"""Rows of one answer."""
FARTHEST = 10**15
"""More rows than any list has."""


class Rows(LimitOffsetPagination):
    """``limit`` and ``offset``, with bounds on both; what is beyond them is refused with 422."""

    class Input(Schema):
        limit: int = Field(DEFAULT, ge=1, le=MOST)
        offset: int = Field(0, ge=0, le=FARTHEST)
