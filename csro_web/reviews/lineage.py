"""Which policies are earlier versions of a policy: the line along which threads are carried.

A policy's earlier version is the one it was edited from; a policy that no edit made continues the
nearest refinement of its own candidate's chain that joined the population too. What its writer was
merely shown (``Policy.parents``) is no earlier version of it, and neither is a policy of another
run, which other people may see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db.models import F

from csro_web.changes.models import Change, ChangeKind
from csro_web.policies.models import Candidate, Policy

LONGEST_LINE = 200
"""Versions that are followed back."""

Line = tuple[int, ...]
"""Keys of a policy and its earlier versions, nearest first."""


def line_of(policy: Policy) -> Line:
    """The policy itself and its earlier versions in its run. 3 queries."""
    return follow(policy.pk, earlier_versions([policy.run_id]))


def follow(policy_id: int, earlier: Mapping[int, int]) -> Line:
    line = [policy_id]
    while line[-1] in earlier and len(line) < LONGEST_LINE:
        before = earlier[line[-1]]
        if before in line:
            break
        line.append(before)
    return tuple(line)


def earlier_versions(run_ids: Iterable[int]) -> dict[int, int]:
    """For each policy of these runs that has an earlier version, that version. 3 queries."""
    runs = list(run_ids)
    candidate_of = dict(
        Policy.objects.filter(run__in=runs, candidate__isnull=False)
        .order_by("-index")
        .values_list("pk", "candidate_id")
    )
    parent_of = dict(
        Candidate.objects.filter(run__in=runs, parent__isnull=False).values_list("pk", "parent_id")
    )
    policy_of = {candidate: policy for policy, candidate in candidate_of.items()}
    found = {}
    for policy, candidate in candidate_of.items():
        seen = {candidate}
        before = parent_of.get(candidate)
        while before is not None and before not in policy_of and before not in seen:
            seen.add(before)
            before = parent_of.get(before)
        if before in policy_of:
            found[policy] = policy_of[before]
    return found | _edited_from(runs)


def _edited_from(runs: list[int]) -> dict[int, int]:
    edits = Change.objects.filter(
        run__in=runs, kind=ChangeKind.COMMIT, policy__isnull=False, parent__run=F("run")
    )
    return dict(edits.order_by("-number").values_list("policy_id", "parent_id"))
