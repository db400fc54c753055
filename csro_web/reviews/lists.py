"""Lists of threads: of one policy, and of a whole run at the versions they were opened on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count

from csro_web.policies.models import Policy
from csro_web.reviews import lineage
from csro_web.reviews.anchors import Fit, Place
from csro_web.reviews.models import Comment, Decision, Thread
from csro_web.reviews.selectors import ThreadAt
from csro_web.reviews.shown import ShownThread, place_of
from csro_web.reviews.standing import Standing, decided_at, standing
from csro_web.runs.models import Run

THREADS_PER_PAGE = 50
STATES = ("all", *(str(one) for one in Standing), str(Fit.DETACHED))
MOST_CARRIED = 2_000
"""Pairs of a thread and a later version that the list of a run looks at."""


@dataclass(frozen=True)
class Row:
    """A thread of a run, at the version it was opened on."""

    thread: Thread
    standing: Standing
    open_later: int
    """Later versions at which it is open."""
    detached_at: tuple[Policy, ...]
    """Later versions that have lost its lines."""
    comments: int


@dataclass(frozen=True)
class Version:
    """A version that a thread belongs to, and how its lines stand there."""

    policy: Policy
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


def counts_of(found: Sequence[ShownThread]) -> dict[str, int]:
    counts = Counter(str(one.standing) for one in found)
    counts.update({"all": len(found), str(Fit.DETACHED): sum(one.is_detached for one in found)})
    return {state: counts[state] for state in STATES}


def fits(row: Row, state: str) -> bool:
    if state == Fit.DETACHED:
        return bool(row.detached_at)
    return state in ("all", row.standing)


def counts_of_rows(rows: Sequence[Row]) -> dict[str, int]:
    return {state: sum(fits(row, state) for row in rows) for state in STATES}


def page_of(rows: Sequence[Any], number: str | None) -> Page[Any]:
    return Paginator(rows, THREADS_PER_PAGE).get_page(number)


def of_run(run: Run) -> list[Row]:
    """Every published thread of the run, newest first. 8 queries."""
    threads = list(
        Thread.objects.published()
        .filter(policy__run=run)
        .select_related("policy", "opened_by")
        .order_by("-created_at", "-pk")
    )
    if not threads:
        return []
    earlier = lineage.earlier_versions([run.pk])
    later = _later(threads, earlier)
    needed = {pk for pks in later.values() for pk in pks} | {t.policy_id for t in threads}
    policies = Policy.objects.in_bulk(needed | set(earlier) if later else needed)
    decisions = list(Decision.objects.filter(thread__in=threads))
    counts = dict(
        Comment.objects.filter(thread__in=threads, review__published_at__isnull=False)
        .order_by()
        .values_list("thread")
        .annotate(n=Count("pk"))
    )
    rows, looked = [], 0
    for thread in threads:
        gone, open_later = [], 0
        for version in later.get(thread.policy_id, ()):
            at = _at(thread, version, earlier, decisions)
            open_later += at.standing.is_open
            looked += 1
            sources = {pk: policies[pk].source for pk in at.line if pk in policies}
            if looked <= MOST_CARRIED and place_of(at, sources).fit is Fit.DETACHED:
                gone.append(policies[version])
        rows.append(
            Row(
                thread=thread,
                standing=standing(thread, thread),
                open_later=open_later,
                detached_at=tuple(gone),
                comments=counts.get(thread.pk, 0),
            )
        )
    return rows


def versions_with(thread: Thread) -> list[Version]:
    """Where the thread belongs: the version it was opened on, then those that descend from it."""
    earlier = lineage.earlier_versions([thread.policy.run_id])
    later = _later([thread], earlier).get(thread.policy_id, [])
    policies = Policy.objects.in_bulk({thread.policy_id, *later, *earlier.values(), *earlier})
    sources = {pk: policy.source for pk, policy in policies.items()}
    decisions = list(Decision.objects.filter(thread=thread))
    found = []
    for version in [thread.policy_id, *later]:
        at = _at(thread, version, earlier, decisions)
        found.append(Version(policies[version], place_of(at, sources), at.standing))
    return found


def _later(threads: Sequence[Thread], earlier: dict[int, int]) -> dict[int, list[int]]:
    """For each policy with threads, the versions that descend from it, oldest first."""
    asked = {thread.policy_id for thread in threads}
    found: dict[int, list[int]] = {}
    for version in sorted(earlier):
        for before in lineage.follow(version, earlier)[1:]:
            if before in asked:
                found.setdefault(before, []).append(version)
    return found


def _at(
    thread: Thread, version: int, earlier: dict[int, int], decisions: Sequence[Decision]
) -> ThreadAt:
    line = lineage.follow(version, earlier)
    return ThreadAt(thread, line, decided_at(thread, line, decisions))
