"""How many tokens a text may become, without asking a tokenizer, which differs by model."""

from __future__ import annotations

import math
import re

_PIECE = re.compile(r"[^\S\n]*[A-Za-z]+|\d|[^\S\n]+|\n+|[^\sA-Za-z\d]", re.ASCII)
LETTERS_PER_TOKEN = 4


def estimated_tokens(text: str) -> int:
    """An upper estimate: what byte-pair vocabularies of 30,000 entries and more need at most.

    A word counts one token for each four letters begun, a digit or a sign one, blanks in front of
    a word none, other blanks and line feeds one for each run, and each byte of a character outside
    of ASCII one. Odd text (long random words) may need more.
    """
    total = 0
    for match in _PIECE.finditer(text):
        piece = match.group().lstrip(" \t")
        if piece.isascii() and piece.isalpha():
            total += math.ceil(len(piece) / LETTERS_PER_TOKEN)
        elif piece.isascii():
            total += 1
        else:
            total += len(piece.encode("utf-8", "backslashreplace"))
    return total
