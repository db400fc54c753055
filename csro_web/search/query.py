"""What somebody searches for, read from the form; nothing in it is a pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.http import QueryDict

from csro_web.pages.keys import wanted_text
from csro_web.search.places import Place, lowered, words

MOST_WORDS = 8
LONGEST_WORD = 100
NAMES, SUMMARIES, REVIEWS = "names", "summaries", "reviews"
PLACES = (*map(str, Place), NAMES, SUMMARIES, REVIEWS)
KINDS = ("policies", "candidates")
_PARTS = re.compile(r'"([^"]*)"|(\S+)')


@dataclass(frozen=True)
class Query:
    """``words`` must all be found, in small letters; ``whole`` asks for whole words."""

    text: str
    words: tuple[str, ...]
    whole: bool
    places: tuple[str, ...]
    kinds: tuple[str, ...]
    dropped: int = 0
    """Words beyond the limit, which are not searched for."""

    @property
    def asks_for_programs(self) -> bool:
        return set(self.places) != {REVIEWS}

    @property
    def program_places(self) -> tuple[Place, ...]:
        return tuple(place for place in Place if place in self.places)


def read(form: QueryDict) -> Query:
    """Unknown choices count for nothing; where nothing is chosen, everything is."""
    text = wanted_text(form.get("q", ""), 1000)
    whole = form.get("whole") == "1"
    parts = [quoted or bare for quoted, bare in _PARTS.findall(text)]
    wanted = [word for part in parts for word in (words(part) if whole else [lowered(part)])]
    wanted = [word[:LONGEST_WORD] for word in dict.fromkeys(wanted) if word.strip()]
    return Query(
        text=text,
        words=tuple(wanted[:MOST_WORDS]),
        whole=whole,
        places=_chosen(form, "in", PLACES),
        kinds=_chosen(form, "of", KINDS),
        dropped=max(0, len(wanted) - MOST_WORDS),
    )


def _chosen(form: QueryDict, name: str, known: tuple[str, ...]) -> tuple[str, ...]:
    asked = form.getlist(name)
    return tuple(one for one in known if one in asked) or known
