"""Comparing two policies, or two candidates of a search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from csro_web.accounts.permissions import requires
from csro_web.pages.keys import row_number
from csro_web.policies import code, diff, selectors
from csro_web.policies.models import Candidate, Policy

VIEWS = ("split", "unified")
Lines = list[list[code.Token]]


@dataclass(frozen=True)
class ShownSide:
    number: int
    html: SafeString


@dataclass(frozen=True)
class ShownRow:
    kind: str
    left: ShownSide | None
    right: ShownSide | None


@dataclass(frozen=True)
class ShownBlock:
    folded: bool
    rows: tuple[ShownRow, ...]


@dataclass(frozen=True)
class Step:
    """A neighbouring comparison, one click away."""

    label: str
    url: str


@require_safe
@requires("policies.view")
def choose_policies(request: HttpRequest) -> HttpResponse:
    """Where the two pickers of a diff page lead: the address of that comparison."""
    a, b = (row_number(request.GET.get(side, "")) for side in ("a", "b"))
    if a is None or b is None:
        raise Http404("two policies are needed")
    address = reverse("policy-diff", args=[a, b])
    return redirect(f"{address}?{urlencode({'view': view_of(request)})}")


@require_safe
@requires("policies.view")
def policy_diff(request: HttpRequest, old_policy_id: int, new_policy_id: int) -> HttpResponse:
    policies = Policy.objects.select_related("run")
    left = get_object_or_404(policies, pk=old_policy_id)
    right = get_object_or_404(policies, pk=new_policy_id)
    members = [one for one in selectors.members_of(right.run) if one.sha256]
    context = {
        **shown_diff(left.source, right.source),
        "left": left,
        "right": right,
        "left_url": reverse("policy", args=[left.pk]),
        "right_url": reverse("policy", args=[right.pk]),
        "run": right.run,
        "members": members if left.run_id == right.run_id else [],
        "view": view_of(request),
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
        **shown_diff(left.source, right.source),
        "left": left,
        "right": right,
        "left_url": reverse("candidate", args=[left.pk]),
        "right_url": reverse("candidate", args=[right.pk]),
        "run": right.run,
        "view": view_of(request),
        **candidate_steps(left, right),
    }
    return render(request, "policies/candidate_diff.html", context)


def view_of(request: HttpRequest) -> str:
    chosen = request.GET.get("view", "")
    return chosen if chosen in VIEWS else VIEWS[0]


def shown_diff(
    old: str, new: str, *, highlight: Callable[[str], Lines] = code.highlight
) -> dict[str, Any]:
    """The folded blocks with highlighted, inert lines, and the totals."""
    rows = diff.compare(old, new)
    old_tokens, new_tokens = highlight(old), highlight(new)
    blocks = [
        ShownBlock(
            block.folded,
            tuple(
                ShownRow(row.kind, _shown(row.left, old_tokens), _shown(row.right, new_tokens))
                for row in block.rows
            ),
        )
        for block in diff.fold(rows)
    ]
    return {"blocks": blocks, "totals": diff.totals(rows)}


def _shown(side: diff.Side | None, tokens: Lines) -> ShownSide | None:
    if side is None:
        return None
    return ShownSide(side.number, code.line_html(tokens[side.number - 1], side.changed))


def policy_steps(left: Policy, right: Policy, members: list[Policy]) -> dict[str, Step | None]:
    """The comparison before ``left`` and the one after ``right`` in the population's order."""
    if left.run_id != right.run_id:
        return {"previous": None, "next": None}
    order = [member.pk for member in members]
    before = after = None
    if left.pk in order and order.index(left.pk) > 0:
        before = members[order.index(left.pk) - 1]
    if right.pk in order and order.index(right.pk) + 1 < len(order):
        after = members[order.index(right.pk) + 1]
    return {
        "previous": before
        and Step(f"{before.name} → {left.name}", reverse("policy-diff", args=[before.pk, left.pk])),
        "next": after
        and Step(f"{right.name} → {after.name}", reverse("policy-diff", args=[right.pk, after.pk])),
    }


def candidate_steps(left: Candidate, right: Candidate) -> dict[str, Any]:
    """Stepping through a refinement history: to the parent's edit, and to the next kept one."""
    history = selectors.chain_to(_kept_end(right))
    places = {one.pk: place for place, one in enumerate(history)}
    before = after = None
    if left.parent_id is not None:
        before = Step(
            f"attempt {left.attempt} against what it refined",
            reverse("candidate-diff", args=[left.parent_id, left.pk]),
        )
    place = places.get(right.pk)
    if place is not None and place + 1 < len(history):
        after = Step(
            f"attempt {history[place + 1].attempt} against attempt {right.attempt}",
            reverse("candidate-diff", args=[right.pk, history[place + 1].pk]),
        )
    return {"previous": before, "next": after, "history": history}


def _kept_end(candidate: Candidate) -> Candidate:
    """The last descendant of a candidate that still improved on it; itself if there is none."""
    same_search = Candidate.objects.filter(
        run_id=candidate.run_id, iteration=candidate.iteration, parent__isnull=False, improved=True
    ).only("pk", "parent_id", "attempt", "run_id", "iteration", "improved")
    by_parent = {one.parent_id: one for one in same_search.order_by("attempt")}
    end, seen = candidate, {candidate.pk}
    while end.pk in by_parent and by_parent[end.pk].pk not in seen:
        end = by_parent[end.pk]
        seen.add(end.pk)
    return end
