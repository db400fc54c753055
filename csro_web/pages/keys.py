"""Numbers of database rows in what people type and in addresses."""

from __future__ import annotations

MOST_DIGITS = 18
"""Every number of so many digits fits into the column of a key."""


def row_number(text: str) -> int | None:
    """The number that ``text`` writes in plain digits; None when it can be no row's."""
    plain = text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS
    return int(text) if plain else None
