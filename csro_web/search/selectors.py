"""Finding programs by what they say.

One row holds a distinct program's text (``ProgramText``), so equal programs are read once however
many runs found them. A word is looked for with ``INSTR`` or ``STRPOS``, which both databases have,
and which know no patterns: nobody's input can make a search take long. A scan of ten thousand
programs is some thirty megabytes; see docs/explanation/search.md for why there is no other index.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Value, When, Window
from django.db.models.functions import RowNumber, StrIndex
from django.db.models.lookups import GreaterThan

from csro_web.accounts.ownership import Somebody, visible
from csro_web.policies.models import Candidate, Policy
from csro_web.search.models import ProgramText
from csro_web.search.query import NAMES, SUMMARIES, Query

PER_PAGE = 20
MOST_NAMED = 5
"""Policies and candidates with the same program that a result names; the others are counted."""


@dataclass(frozen=True)
class Found:
    """A program that was found, with some of the policies and candidates that hold it: first those
    whose name or summary was found, then the newest. ``holders`` counts all of them."""

    sha256: str
    source: str
    policies: list[Policy]
    candidates: list[Candidate]
    holders: int


@dataclass(frozen=True)
class Results:
    page: Page[int]
    found: list[Found]


def search(query: Query, user: Somebody, page_number: str | None) -> Results:
    """One page of what a person may see of the programs that fit, newest first. 8 queries."""
    policies = visible(Policy.objects.exclude(sha256=""), user)
    candidates = visible(Candidate.objects.exclude(sha256=""), user)
    rows = _matching(query, policies, candidates).values_list("pk", flat=True)
    page = Paginator(list(rows), PER_PAGE).get_page(page_number)
    return Results(page, _held(query, list(page), policies, candidates))


def _matching(
    query: Query, policies: QuerySet[Policy], candidates: QuerySet[Candidate]
) -> QuerySet[ProgramText]:
    """Programs in which every word is found, and that somebody may see."""
    rows = ProgramText.objects.all()
    same_program = Q(sha256=OuterRef("sha256"))
    for word in query.words:
        rows = rows.filter(_has(word, query, policies.filter(same_program)))
    seen = Q()
    if "policies" in query.kinds:
        seen |= Exists(policies.filter(same_program))
    if "candidates" in query.kinds:
        seen |= Exists(candidates.filter(same_program))
    return rows.filter(seen).order_by("-pk")


def _has(word: str, query: Query, policies: QuerySet[Policy]) -> Q:
    """Where one word may be."""
    found = Q()
    for place in query.program_places:
        column, wanted = (f"{place}_words", f" {word} ") if query.whole else (place, word)
        found |= Q(GreaterThan(StrIndex(str(column), Value(wanted)), 0))
    named = _in_names(word, query)
    return found | Q(Exists(policies.filter(named))) if named else found


def _in_names(word: str, query: Query) -> Q:
    """In what a policy is called and what is said of it; always any part of those."""
    found = Q()
    if NAMES in query.places:
        found |= Q(name__icontains=word)
    if SUMMARIES in query.places:
        found |= Q(summary__icontains=word)
    return found


def _held(
    query: Query, keys: list[int], policies: QuerySet[Policy], candidates: QuerySet[Candidate]
) -> list[Found]:
    """The programs of a page with those that hold them, in the page's order. 7 queries."""
    hashes = dict(ProgramText.objects.filter(pk__in=keys).values_list("pk", "sha256"))
    wanted = list(hashes.values())
    by_policy: dict[str, list[Policy]] = defaultdict(list)
    by_candidate: dict[str, list[Candidate]] = defaultdict(list)
    holders: Counter[str] = Counter()
    if "policies" in query.kinds:
        named = Q()
        for word in query.words:
            named |= _in_names(word, query)
        for policy in _first_of_each(policies.filter(sha256__in=wanted), named).only(
            "name", "summary", "sha256", "run__name"
        ):
            by_policy[policy.sha256].append(policy)
        holders.update(_counted(policies, wanted))
    if "candidates" in query.kinds:
        for one in _first_of_each(candidates.filter(sha256__in=wanted), Q()).only(
            "sha256", "run__name", "iteration", "attempt"
        ):
            by_candidate[one.sha256].append(one)
        holders.update(_counted(candidates, wanted))
    sources = _sources(wanted)
    return [
        Found(
            sha256,
            sources.get(sha256, ""),
            by_policy[sha256],
            by_candidate[sha256],
            holders[sha256],
        )
        for key in keys
        if (sha256 := hashes.get(key))
    ]


def _first_of_each(rows: QuerySet[Any], preferred: Q) -> QuerySet[Any]:
    """A few rows of each program: thousands of runs hold the same initial policies."""
    rank = Case(When(preferred, then=0), default=1) if preferred else Value(0)
    place = Window(RowNumber(), partition_by=F("sha256"), order_by=[rank.asc(), F("pk").desc()])
    ranked = rows.select_related("run").annotate(place=place)
    return ranked.filter(place__lte=MOST_NAMED + 1).order_by("place")


def _counted(rows: QuerySet[Any], hashes: list[str]) -> dict[str, int]:
    counted = rows.filter(sha256__in=hashes).order_by().values_list("sha256")
    return dict(counted.annotate(Count("pk")))


def _sources(hashes: list[str]) -> dict[str, str]:
    """The programs themselves. 2 queries at most.

    Which policy or candidate a text is read from does not matter: the hash is that of the text.
    """
    newest: dict[str, str] = {}
    for model in (Policy, Candidate):
        missing = [sha256 for sha256 in hashes if sha256 not in newest]
        keys: dict[str, int] = {}
        if missing:
            keys = dict(model.objects.filter(sha256__in=missing).values_list("sha256", "pk"))
        texts = model.objects.filter(pk__in=keys.values()).values_list("sha256", "source")
        newest.update(dict(texts) if keys else {})
    return newest
