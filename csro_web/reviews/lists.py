"""Lists of threads: of one program, and of a whole run at the versions they were opened on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q

from csro_web.policies.models import Policy
from csro_web.policies.programs import HEAVY, Program, Reference
from csro_web.reviews import lineage
from csro_web.reviews.anchors import Fit, Place
from csro_web.reviews.models import Comment, Decision, State, Thread, ThreadQuerySet
from csro_web.reviews.selectors import ThreadAt
from csro_web.reviews.shown import ShownThread, place_of, sources_of
from csro_web.reviews.standing import Standing, decided_at, standing
from csro_web.runs.models import Run

THREADS_PER_PAGE = 50
STATES = ("all", *(str(one) for one in Standing), str(Fit.DETACHED))
MOST_LOOKED_AT = 300
"""Pairs of a thread and a later policy in which one page of a run looks for the lines."""

_WAITS = Q(state=State.RESOLVED, wants_confirmation=True, confirmed_at__isnull=True)
_IN_STATE = {
    "all": Q(),
    str(Standing.OPEN): Q(state=State.OPEN),
    str(Standing.WAITING): _WAITS,
    str(Standing.RESOLVED): Q(state=State.RESOLVED) & ~_WAITS,
}


@dataclass(frozen=True)
class Row:
    """A thread of a run, at the version it was opened on."""

    thread: Thread
    standing: Standing
    open_later: int
    """Later policies at which it is open."""
    detached_at: tuple[Policy, ...]
    """Later policies that have lost its lines, among those that were looked at."""
    all_looked_at: bool
    """Whether its lines were looked for in every later policy."""
    comments: int


@dataclass(frozen=True)
class Version:
    """A version that a thread belongs to, and how its lines stand there."""

    program: Program
    place: Place
    standing: Standing


def state_of(text: str) -> str:
    return text if text in STATES else "all"


def of_policy(found: Sequence[ShownThread], state: str) -> list[ShownThread]:
    if state == "all":
        return list(found)
    if state == Fit.DETACHED:
        return [one for one in found if one.is_detached]
    return [one for one in found if one.standing == state]


def counts_of(found: Sequence[ShownThread]) -> dict[str, int | None]:
    counts = Counter(str(one.standing) for one in found)
    counts.update({"all": len(found), str(Fit.DETACHED): sum(one.is_detached for one in found)})
    return {state: counts[state] for state in STATES}


def page_of(rows: Sequence[Any], number: str | None) -> Page[Any]:
    return Paginator(rows, THREADS_PER_PAGE).get_page(number)


def counts_of_run(run: Run) -> dict[str, int | None]:
    """Threads of the run by their state where they were asked; how many are detached somewhere is
    unknown without looking, and so None. 1 query."""
    parts = {
        name: Count("pk", filter=wanted) for name, wanted in _IN_STATE.items() if name != "all"
    }
    counts = _published(run).order_by().aggregate(all=Count("pk"), **parts)
    return {state: counts.get(state) for state in STATES}


def of_run(run: Run, state: str, page_number: str | None) -> tuple[Page[Thread], list[Row]]:
    """One page of the run's published threads, newest first. At most 10 queries.

    ``detached`` looks at the threads of a page and shows those that lost their lines somewhere.
    """
    wanted = _published(run).filter(_IN_STATE.get(state, Q()))
    threads = (
        wanted.select_related("policy", "candidate", "opened_by")
        .defer("quote", "policy__source", "policy__summary", *(f"candidate__{n}" for n in HEAVY))
        .order_by("-created_at", "-pk")
    )
    page = Paginator(threads, THREADS_PER_PAGE).get_page(page_number)
    rows = _rows(run, list(page))
    if state == Fit.DETACHED:
        rows = [row for row in rows if row.detached_at or not row.all_looked_at]
    return page, rows


def _published(run: Run) -> ThreadQuerySet:
    return Thread.objects.published().filter(run=run)


def _rows(run: Run, threads: list[Thread]) -> list[Row]:
    if not threads:
        return []
    earlier = lineage.earlier_versions([run.pk])
    later = lineage.later_versions(earlier)
    decisions: dict[int, list[Decision]] = {one.pk: [] for one in threads}
    for decision in Decision.objects.filter(thread__in=threads):
        decisions[decision.thread_id].append(decision)
    seen_at = {
        one.pk: list(_later_policies(one, earlier, later, decisions[one.pk])) for one in threads
    }
    looked = _fairly(seen_at)
    sources = sources_of([at for found in looked.values() for at in found], {})
    gone = {
        pk: [at.line[0] for at in found if place_of(at, sources).fit is Fit.DETACHED]
        for pk, found in looked.items()
    }
    named = Policy.objects.defer("source", "summary").in_bulk(
        {int(one) for found in gone.values() for one in found}
    )
    return [
        Row(
            thread=one,
            standing=standing(one, one),
            open_later=sum(at.standing.is_open for at in seen_at[one.pk]),
            detached_at=tuple(named[int(version)] for version in gone[one.pk]),
            all_looked_at=len(looked[one.pk]) == len(seen_at[one.pk]),
            comments=count,
        )
        for one, count in zip(threads, _comment_counts(threads), strict=True)
    ]


def _fairly(found: Mapping[int, list[ThreadAt]]) -> dict[int, list[ThreadAt]]:
    """At most :data:`MOST_LOOKED_AT` of them in all, as many of each thread."""
    each = max(1, MOST_LOOKED_AT // len(found))
    return {pk: ats[-each:] for pk, ats in found.items()}


def _comment_counts(threads: Sequence[Thread]) -> list[int]:
    counts = dict(
        Comment.objects.filter(thread__in=threads, review__published_at__isnull=False)
        .order_by()
        .values_list("thread")
        .annotate(n=Count("pk"))
    )
    return [counts.get(one.pk, 0) for one in threads]


def versions_with(thread: Thread) -> list[Version]:
    """Where the thread belongs: the program it was opened on, then the policies that descend from
    it. 6 queries."""
    earlier = lineage.earlier_versions([thread.run_id])
    decisions = list(Decision.objects.filter(thread=thread))
    later = list(_later_policies(thread, earlier, lineage.later_versions(earlier), decisions))
    own = ThreadAt(thread, (thread.reference,), thread)
    sources = sources_of([own, *later], {})
    policies = Policy.objects.in_bulk({int(at.line[0]) for at in later})
    return [
        Version(
            thread.program if at is own else policies[int(at.line[0])],
            place_of(at, sources),
            at.standing,
        )
        for at in (own, *later)
    ]


def _later_policies(
    thread: Thread,
    earlier: Mapping[Reference, Reference],
    later: Mapping[Reference, Sequence[Reference]],
    decisions: Sequence[Decision],
) -> Iterator[ThreadAt]:
    """The thread at each policy that descends from its program, oldest first."""
    versions = lineage.descendants(thread.reference, later)[1:]
    for version in sorted(int(one) for one in versions if not one.startswith("c")):
        line = lineage.follow(str(version), earlier)
        if thread.reference in line:
            yield ThreadAt(thread, line, decided_at(thread, line, decisions))
