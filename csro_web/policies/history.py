"""The steps of a search or of a population, in the order in which they came."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from csro_web.policies.models import Candidate, Origin, Policy
from csro_web.policies.programs import HEAVY
from csro_web.policies.reintroduced import Version
from csro_web.policies.selectors import LONGEST_CHAIN, chain_to

MOST_EARLIER = 30
"""Earlier programs that a difference looks back at, the newest ones."""


@dataclass(frozen=True)
class HistoryStep:
    """An attempt of a refinement: ``kept`` is None for the first, which had nothing to beat."""

    candidate: Candidate
    kept: bool | None
    leads_on: bool
    """Whether the version that was kept at the end descends from it (or is it)."""
    changes: int | None
    """The attempt that it changes; None for a fresh proposal."""


def history_of(candidate: Candidate) -> list[HistoryStep]:
    """Every attempt of the refinement that ``candidate`` is part of, in order. 3 queries.

    Those are the versions that were kept, one the parent of the next, and whatever else was tried
    on any of them: refused, or no improvement.
    """
    chain = {one.pk for one in chain_to(kept_end(candidate))} | {candidate.pk}
    same_search = Candidate.objects.filter(
        run_id=candidate.run_id, iteration=candidate.iteration
    ).filter(Q(pk__in=chain) | Q(parent__in=chain))
    found = list(same_search.defer(*HEAVY).order_by("attempt")[:LONGEST_CHAIN])
    attempts = {one.pk: one.attempt for one in found}
    return [
        HistoryStep(
            one,
            kept=None if one.parent_id is None and one.accepted else one.improved is True,
            leads_on=one.pk in chain,
            changes=attempts.get(one.parent_id) if one.parent_id else None,
        )
        for one in found
    ]


def kept_end(candidate: Candidate) -> Candidate:
    """The last descendant that still improved on a candidate; itself if there is none. 1 query."""
    same_search = Candidate.objects.filter(
        run_id=candidate.run_id, iteration=candidate.iteration, parent__isnull=False, improved=True
    ).only("pk", "parent_id", "attempt", "run_id", "iteration", "improved")
    by_parent = {one.parent_id: one for one in same_search.order_by("attempt")}
    end, seen = candidate, {candidate.pk}
    while end.pk in by_parent and by_parent[end.pk].pk not in seen:
        end = by_parent[end.pk]
        seen.add(end.pk)
    return end


def versions_before(candidate: Candidate) -> list[Version]:
    """The programs that a candidate descends from, oldest first. 2 queries."""
    before = [one for one in chain_to(candidate) if one.pk != candidate.pk][-MOST_EARLIER:]
    found = Candidate.objects.filter(pk__in=[one.pk for one in before])
    sources = dict(found.values_list("pk", "source"))
    return [Version(f"attempt {one.attempt}", sources[one.pk]) for one in before]


def programs_before(policy: Policy) -> list[Version]:
    """The programs that joined the population before a policy, oldest first. 1 query."""
    found = (
        Policy.objects.filter(run_id=policy.run_id, index__lt=policy.index)
        .exclude(origin__in=[Origin.BOT, Origin.TRAINED])
        .order_by("-index")
        .values_list("name", "source")[:MOST_EARLIER]
    )
    return [Version(name, source) for name, source in reversed(found)]
