"""Comparing two policies, two candidates of a search, or one with the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from csro_web.accounts.permissions import requires
from csro_web.policies import (
    code,
    diff_choice,
    diff_shown,
    history,
    page_parts,
    programs,
    selectors,
)
from csro_web.policies.models import Candidate, Policy
from csro_web.policies.reintroduced import Version

AUTO, SPLIT, UNIFIED = "auto", "split", "unified"
VIEWS = (SPLIT, UNIFIED)
"""What a reader may ask for; without that it is side by side where the screen has the room."""


@dataclass(frozen=True)
class Step:
    """A neighbouring comparison, one click away."""

    label: str
    url: str


@require_safe
@requires("policies.view")
def choose_policies(request: HttpRequest) -> HttpResponse:
    """Where the pickers lead: the address of that comparison, or the list to pick from."""
    picked = diff_choice.picked(request)
    if picked.is_complete:
        asked = {key: request.GET[key] for key in ("view", "space") if request.GET.get(key)}
        return redirect(picked.url + (f"?{urlencode(asked)}" if asked else ""))
    return render(request, "policies/diff_choose.html", diff_choice.context(request, picked))


@require_safe
@requires("policies.view")
def policy_diff(request: HttpRequest, old_policy_id: int, new_policy_id: int) -> HttpResponse:
    policies = Policy.objects.select_related("run")
    left = get_object_or_404(policies, pk=old_policy_id)
    right = get_object_or_404(policies, pk=new_policy_id)
    members: list[Policy] = []
    if left.run_id == right.run_id:
        members = [one for one in selectors.members_of(right.run) if one.sha256]
    context = {
        **compared(request, left, right, earlier=history.programs_before(left)),
        "members": members,
        **policy_steps(left, right, members),
    }
    return render(request, "policies/policy_diff.html", context)


@require_safe
@requires("candidates.view")
def candidate_diff(
    request: HttpRequest, old_candidate_id: int, new_candidate_id: int
) -> HttpResponse:
    candidates = Candidate.objects.select_related("run")
    left = get_object_or_404(candidates, pk=old_candidate_id)
    right = get_object_or_404(candidates, pk=new_candidate_id)
    context = {
        **compared(request, left, right, earlier=history.versions_before(left)),
        **candidate_steps(left, right),
    }
    return render(request, "policies/candidate_diff.html", context)


@require_safe
@requires("policies.view")
def policy_to_candidate(
    request: HttpRequest, old_policy_id: int, new_candidate_id: int
) -> HttpResponse:
    left = get_object_or_404(Policy.objects.select_related("run"), pk=old_policy_id)
    right = get_object_or_404(Candidate.objects.select_related("run"), pk=new_candidate_id)
    return render(request, "policies/policy_diff.html", compared(request, left, right))


@require_safe
@requires("policies.view")
def candidate_to_policy(
    request: HttpRequest, old_candidate_id: int, new_policy_id: int
) -> HttpResponse:
    left = get_object_or_404(Candidate.objects.select_related("run"), pk=old_candidate_id)
    right = get_object_or_404(Policy.objects.select_related("run"), pk=new_policy_id)
    return render(request, "policies/policy_diff.html", compared(request, left, right))


@require_safe
@requires("candidates.view")
def candidate_history(request: HttpRequest, candidate_id: int) -> HttpResponse:
    """Every step of the refinement that a candidate is part of."""
    candidate = get_object_or_404(Candidate.objects.select_related("run"), pk=candidate_id)
    context = {
        "candidate": candidate,
        "run": candidate.run,
        "steps": history.history_of(candidate),
        "most": selectors.LONGEST_CHAIN,
    }
    return render(request, "policies/history.html", context)


def compared(
    request: HttpRequest,
    left: Policy | Candidate,
    right: Policy | Candidate,
    *,
    earlier: Sequence[Version] = (),
) -> dict[str, Any]:
    """What every page of a comparison shows, whatever its sides are."""
    ignore_spacing = request.GET.get("space") == "ignore"
    shown = diff_shown.programs(
        left.source, right.source, earlier=earlier, ignore_spacing=ignore_spacing
    )
    return {
        "left": left,
        "right": right,
        "left_title": programs.title(left),
        "right_title": programs.title(right),
        "left_url": left.get_absolute_url(),
        "right_url": right.get_absolute_url(),
        "swap_url": diff_choice.url(right, left),
        "run": right.run,
        "other_run": left.run if left.run_id != right.run_id else None,
        "blocks": shown.blocks,
        "summary": shown.summary,
        "view": view_of(request),
        "ignore_spacing": ignore_spacing,
        "unfolded": request.GET.get("folds") == "open",
        **page_parts.of_diff(page_parts.DiffPage(request, left, right)),
    }


def view_of(request: HttpRequest) -> str:
    chosen = request.GET.get("view", "")
    return chosen if chosen in VIEWS else AUTO


def shown_diff(
    old: str, new: str, *, highlight: Callable[[str], diff_shown.Lines] = code.highlight
) -> dict[str, Any]:
    """The folded blocks of two texts, for pages that only show them."""
    return {"blocks": diff_shown.plain(old, new, highlight=highlight)}


def policy_steps(left: Policy, right: Policy, members: list[Policy]) -> dict[str, Step | None]:
    """The comparison before ``left`` and the one after ``right`` in the population's order."""
    order = [member.pk for member in members]
    before = after = None
    if left.pk in order and order.index(left.pk) > 0:
        before = members[order.index(left.pk) - 1]
    if right.pk in order and order.index(right.pk) + 1 < len(order):
        after = members[order.index(right.pk) + 1]
    return {
        "previous": before and Step(f"{before.name} → {left.name}", diff_choice.url(before, left)),
        "next": after and Step(f"{right.name} → {after.name}", diff_choice.url(right, after)),
    }


def candidate_steps(left: Candidate, right: Candidate) -> dict[str, Any]:
    """Stepping through a refinement history: to the parent's edit, and to the next kept one."""
    steps = history.history_of(right)
    before = after = None
    if left.parent_id is not None:
        before = Step(
            f"attempt {left.attempt} against what it refined",
            reverse("candidate-diff", args=[left.parent_id, left.pk]),
        )
    following = [
        step.candidate
        for step in steps
        if step.candidate.parent_id == right.pk and step.leads_on and step.candidate.accepted
    ]
    if following:
        after = Step(
            f"attempt {following[0].attempt} against attempt {right.attempt}",
            diff_choice.url(right, following[0]),
        )
    return {"previous": before, "next": after, "steps": steps}
