"""Every time that a program, or what it was edited from or into, met seeds that no search saw.

Each edit has seeds of its own, so whoever edits often enough finds one that looks good by luck. It
cannot be prevented, but it can be seen: nothing is ever left out here.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from csro_web.accounts.models import User
from csro_web.accounts.ownership import visible
from csro_web.approvals.models import Reevaluation
from csro_web.changes.models import Change, ChangeKind
from csro_web.changes.people import lineage_of
from csro_web.policies.models import Policy

MOST_SHOWN = 100
LONGEST_LINE = 500
"""Policies of one line of edits that are followed."""


@dataclass(frozen=True)
class Attempts:
    """``shown``: newest first, ``total`` how many there are. ``programs``: how many different ones
    gave a result in this line of edits, comments and layout apart, and the ``place`` of the
    policy's own among them, from 1, by their first results; None: it has none."""

    shown: list[Reevaluation]
    total: int
    programs: int
    place: int | None


def attempts_of(policy: Policy, user: User) -> Attempts:
    """Of the policy, its edit ancestors, what else was edited from these, and equal programs."""
    line = line_of_edits(policy)
    same = policy.reevaluations.values("program")
    every = Reevaluation.objects.filter(Q(policy__in=line) | Q(program__in=same))
    found = visible(every, user, "policy__run")
    results = found.filter(policy__in=line, found__isnull=False).order_by("pk")
    programs = list(dict.fromkeys(results.values_list("program", flat=True)))
    own = set(same.filter(sha256=policy.sha256).values_list("program", flat=True))
    return Attempts(
        shown=list(
            found.select_related("policy__run", "job", "asked_by").defer("policy__source")[
                :MOST_SHOWN
            ]
        ),
        total=found.count(),
        programs=len(programs),
        place=next((n for n, one in enumerate(programs, 1) if one in own), None),
    )


def line_of_edits(policy: Policy) -> set[int]:
    """The policy, what it was edited from, and all that was edited from any of these."""
    met = {ancestor.pk for ancestor in lineage_of(policy)}
    newest = set(met)
    while newest and len(met) < LONGEST_LINE:
        edits = Change.objects.filter(kind=ChangeKind.COMMIT, parent__in=newest)
        newest = set(edits.exclude(policy=None).values_list("policy_id", flat=True)) - met
        met |= newest
    return met
