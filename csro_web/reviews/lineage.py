"""Which programs are earlier versions of a program: the line along which threads are carried.

A policy's earlier version is the one it was edited from, or the candidate that it was. That of a
candidate is what it refined: as a policy, where it joined the population. What a writer was merely
shown (``Policy.parents``) is no earlier version, and neither is a program of another run, which
other people may see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db.models import F, Q

from csro_web.changes.models import Change, ChangeKind
from csro_web.policies.models import Candidate, Policy
from csro_web.policies.programs import Program, Reference, reference

LONGEST_LINE = 400
"""Versions that are followed back."""

Line = tuple[Reference, ...]
"""A program and its earlier versions, nearest first."""


def line_of(program: Program) -> Line:
    """The program itself and its earlier versions in its run. 3 queries."""
    return follow(reference(program), earlier_versions([program.run_id]))


def follow(version: Reference, earlier: Mapping[Reference, Reference]) -> Line:
    line = {version: None}
    before = earlier.get(version)
    while before is not None and before not in line and len(line) < LONGEST_LINE:
        line[before] = None
        before = earlier.get(before)
    return tuple(line)


def earlier_versions(run_ids: Iterable[int]) -> dict[Reference, Reference]:
    """For each program of these runs that has an earlier version, that version. 3 queries."""
    runs = list(run_ids)
    became = Policy.objects.filter(run__in=runs, candidate__isnull=False).order_by("-index")
    candidate_of = list(became.values_list("pk", "candidate_id"))
    policy_of = {candidate: policy for policy, candidate in candidate_of}
    refined = Candidate.objects.filter(run__in=runs, parent__isnull=False).order_by()
    found = {f"{policy}": f"c{candidate}" for policy, candidate in candidate_of}
    for candidate, parent in refined.values_list("pk", "parent_id"):
        found[f"c{candidate}"] = f"{policy_of[parent]}" if parent in policy_of else f"c{parent}"
    return found | _edited_from(runs)


def later_versions(earlier: Mapping[Reference, Reference]) -> dict[Reference, list[Reference]]:
    """For each program that others were made from, those."""
    later: dict[Reference, list[Reference]] = {}
    for version, before in earlier.items():
        later.setdefault(before, []).append(version)
    return later


def descendants(
    version: Reference, later: Mapping[Reference, Sequence[Reference]]
) -> list[Reference]:
    """The program, and whatever descends from it; each after the one it was made from."""
    found = {version: None}
    waiting = [version]
    while waiting:
        for one in later.get(waiting.pop(), ()):
            if one not in found:
                found[one] = None
                waiting.append(one)
    return list(found)


def _edited_from(runs: list[int]) -> dict[Reference, Reference]:
    edits = Change.objects.filter(
        run__in=runs, kind=ChangeKind.COMMIT, policy__isnull=False, parent__run=F("run")
    )
    pairs = edits.order_by("-number").values_list("policy_id", "parent_id")
    return {f"{policy}": f"{parent}" for policy, parent in pairs}


def at(versions: Iterable[Reference]) -> Q:
    """Rows of :class:`csro_web.reviews.models.OfProgram` about these programs."""
    known = list(versions)
    policies = [int(one) for one in known if not one.startswith("c")]
    candidates = [int(one[1:]) for one in known if one.startswith("c")]
    return Q(policy__in=policies) | Q(candidate__in=candidates)
