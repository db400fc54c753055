"""What people type and what addresses hold, as every database takes it."""

from __future__ import annotations

MOST_DIGITS = 18
"""Every number of so many digits fits into the column of a key."""


def row_number(text: str) -> int | None:
    """The number that ``text`` writes in plain digits; None when it can be no row's."""
    plain = text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS
    return int(text) if plain else None


def wanted_text(text: str, longest: int) -> str:
    """What somebody looks for: at most ``longest`` characters, without NUL, which PostgreSQL
    refuses in a query."""
    return text.replace("\0", "").strip()[:longest]
