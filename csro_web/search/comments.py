"""Finding what reviewers wrote, among what is published and may be seen."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.safestring import SafeString

from csro_web.accounts.ownership import Somebody, visible
from csro_web.policies import code
from csro_web.policies.programs import HEAVY
from csro_web.reviews.models import Comment
from csro_web.search.places import lowered, occurrences
from csro_web.search.query import Query

MOST = 20
"""Comments that one page shows, the newest; the others are counted."""
BEFORE, LONGEST = 60, 240
"""Characters shown before the first word that was found, and in all."""


@dataclass(frozen=True)
class FoundComment:
    comment: Comment
    html: SafeString


@dataclass(frozen=True)
class FoundComments:
    shown: list[FoundComment]
    count: int


def search_comments(query: Query, user: Somebody) -> FoundComments:
    """Comments that hold every word, or a part that is equal to it. 2 queries."""
    found: QuerySet[Comment] = visible(
        Comment.objects.filter(review__published_at__isnull=False), user, path="thread__run"
    )
    for word in query.words:
        found = found.filter(body__icontains=word)
    newest = found.select_related("author", "thread__policy", "thread__candidate")
    newest = newest.defer(
        "thread__policy__source", *(f"thread__candidate__{name}" for name in HEAVY)
    )
    shown = [FoundComment(one, _excerpt(one.body, query)) for one in newest.order_by("-pk")[:MOST]]
    return FoundComments(shown, len(shown) if len(shown) < MOST else found.order_by().count())


def _excerpt(body: str, query: Query) -> SafeString:
    """One line around the first word, the words marked."""
    line = " ".join(body.split())
    first = min((at for word in query.words if (at := lowered(line).find(word)) >= 0), default=0)
    start = max(0, first - BEFORE)
    part = line[start : start + LONGEST]
    ranges = [one for word in query.words for one in occurrences(part, word, whole=False)]
    before, after = "…" if start else "", "…" if start + LONGEST < len(line) else ""
    moved = [(a + len(before), b + len(before)) for a, b in sorted(ranges)]
    return code.line_html([("", before + part + after)], moved)
