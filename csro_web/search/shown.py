"""Results as the page shows them: lines with their context, the found words marked, all inert."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.safestring import SafeString

from csro_web.policies import code
from csro_web.policies.models import Candidate, Policy
from csro_web.policies.programs import title
from csro_web.search.places import Place, occurrences, pieces
from csro_web.search.query import NAMES, SUMMARIES, Query
from csro_web.search.selectors import MOST_NAMED, Found

MOST_LINES = 6
"""Lines that a result shows; the others are counted."""
CONTEXT = 1


@dataclass(frozen=True)
class Line:
    """``place`` is empty for a line that only stands around one that was found."""

    number: int
    html: SafeString
    place: str
    url: str
    after_gap: bool


@dataclass(frozen=True)
class Result:
    """A program; ``title`` names the first policy or candidate that holds it."""

    title: str
    url: str
    run: object
    run_url: str
    lines: list[Line]
    more_lines: int
    texts: list[tuple[str, SafeString]]
    also: list[Policy | Candidate]
    others: int


def result(found: Found, query: Query) -> Result | None:
    """None when nobody whom the person may see holds the program."""
    holders: list[Policy | Candidate] = [*found.policies, *found.candidates]
    if not holders:
        return None
    first = holders[0]
    lines, more = _lines(found.source, query, first.get_absolute_url())
    return Result(
        title=title(first),
        url=first.get_absolute_url(),
        run=first.run,
        run_url=reverse("run", args=[first.run_id]),
        lines=lines,
        more_lines=more,
        texts=_texts(found.policies, query),
        also=holders[1 : 1 + MOST_NAMED],
        others=found.holders - len(holders[: 1 + MOST_NAMED]),
    )


Ranges = list[tuple[int, int]]


def _lines(source: str, query: Query, url: str) -> tuple[list[Line], int]:
    """The first lines that hold a word, each with its neighbours, and how many more there are."""
    hits: dict[int, tuple[Place, Ranges]] = {}
    for piece in pieces(source):
        if piece.place not in query.places:
            continue
        ranges = _ranges(piece.text, query)
        if ranges:
            moved = [(start + piece.start, end + piece.start) for start, end in ranges]
            place, before = hits.get(piece.line, (piece.place, []))
            hits[piece.line] = (place, before + moved)
    chosen = sorted(hits)[:MOST_LINES]
    tokens = code.highlight(source)
    around = {
        number
        for hit in chosen
        for number in range(hit - CONTEXT, hit + CONTEXT + 1)
        if 1 <= number <= len(tokens)
    }
    lines: list[Line] = []
    for number in sorted(around):
        place, ranges = hits.get(number, ("", [])) if number in chosen else ("", [])
        lines.append(
            Line(
                number,
                code.line_html(tokens[number - 1], ranges),
                str(place),
                f"{url}#L{number}",
                after_gap=bool(lines) and lines[-1].number < number - 1,
            )
        )
    return lines, len(hits) - len(chosen)


def _ranges(text: str, query: Query) -> Ranges:
    found = [one for word in query.words for one in occurrences(text, word, whole=query.whole)]
    return sorted(found)


def _texts(policies: Sequence[Policy], query: Query) -> list[tuple[str, SafeString]]:
    """Names and summaries that hold a word."""
    found: dict[tuple[str, str], SafeString] = {}
    for policy in policies:
        for place, text in ((NAMES, policy.name), (SUMMARIES, policy.summary)):
            line = " ".join(text.split())
            ranges = [one for word in query.words for one in occurrences(line, word, whole=False)]
            if place in query.places and ranges:
                words = {NAMES: "Name", SUMMARIES: "Summary"}[place]
                found[words, line] = code.line_html([("", line)], sorted(ranges))
    return [(words, html) for (words, _), html in list(found.items())[:MOST_NAMED]]
