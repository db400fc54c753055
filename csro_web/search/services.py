"""Keeping the text of programs searchable; called where programs are saved."""

from __future__ import annotations

from collections.abc import Mapping

from csro_web.search.models import ProgramText
from csro_web.search.places import Place, lowered, pieces, words
from oracles.text import storable

ROWS_AT_ONCE = 100


def remember(sources: Mapping[str, str]) -> None:
    """Make programs searchable (hash -> source), inside the transaction that saves them.

    A program that is known already is left alone: its text never changes. 1 query, or 2.
    """
    hashes = [sha256 for sha256, source in sources.items() if sha256 and source]
    known = set(ProgramText.objects.filter(sha256__in=hashes).values_list("sha256", flat=True))
    new = [ProgramText(sha256=one, **columns(sources[one])) for one in hashes if one not in known]
    ProgramText.objects.bulk_create(new, batch_size=ROWS_AT_ONCE, ignore_conflicts=True)


def columns(source: str) -> dict[str, str]:
    """The columns of a program's row."""
    texts: dict[Place, list[str]] = {place: [] for place in Place}
    for piece in pieces(storable(source)):
        texts[piece.place].append(lowered(piece.text))
    found = {}
    for place, lines in texts.items():
        found[str(place)] = "\n".join(lines)
        different = dict.fromkeys(word for line in lines for word in words(line))
        found[f"{place}_words"] = f" {' '.join(different)} " if different else ""
    return found
