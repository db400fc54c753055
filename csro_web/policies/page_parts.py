"""What other apps know of policies and show on their pages.

This app knows none of them: each names its parts in a module ``policy_pages``. A part gives names
for the page's template; no two parts give the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from csro_web.policies.models import Candidate, Policy
from csro_web.policies.programs import Program


@dataclass(frozen=True)
class PolicyPage:
    """The page of one policy. ``members`` is the population of its run, without its programs."""

    request: HttpRequest
    policy: Policy
    members: Sequence[Policy]


@dataclass(frozen=True)
class CandidatePage:
    """The page of one candidate."""

    request: HttpRequest
    candidate: Candidate


@dataclass(frozen=True)
class DiffPage:
    """The comparison of two programs."""

    request: HttpRequest
    left: Program
    right: Program


PolicyPart = Callable[[PolicyPage], Mapping[str, Any]]
CandidatePart = Callable[[CandidatePage], Mapping[str, Any]]
DiffPart = Callable[[DiffPage], Mapping[str, Any]]
_policy_parts: list[PolicyPart] = []
_candidate_parts: list[CandidatePart] = []
_diff_parts: list[DiffPart] = []


def on_policy_page(part: PolicyPart) -> PolicyPart:
    """Make the decorated function a part of the page of every policy."""
    _policy_parts.append(part)
    return part


def on_candidate_page(part: CandidatePart) -> CandidatePart:
    """Make the decorated function a part of the page of every candidate."""
    _candidate_parts.append(part)
    return part


def on_diff_page(part: DiffPart) -> DiffPart:
    """Make the decorated function a part of the page of every comparison of two programs."""
    _diff_parts.append(part)
    return part


def of_policy(page: PolicyPage) -> dict[str, Any]:
    return _together(part(page) for part in _policy_parts)


def of_candidate(page: CandidatePage) -> dict[str, Any]:
    return _together(part(page) for part in _candidate_parts)


def of_diff(page: DiffPage) -> dict[str, Any]:
    return _together(part(page) for part in _diff_parts)


def _together(found: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for part in found:
        if twice := names.keys() & part.keys():
            raise ValueError(f"two parts of a page give {', '.join(sorted(twice))}")
        names.update(part)
    return names
