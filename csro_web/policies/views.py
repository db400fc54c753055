"""The page of a policy: its code and everything that is known about it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from csro_web.accounts.ownership import Somebody, visible
from csro_web.accounts.permissions import requires
from csro_web.answers.selectors import written_by
from csro_web.policies import code, page_parts, selectors
from csro_web.policies.models import Policy
from csro_web.runs import heldout
from csro_web.runs.catalogue import facts_of


@require_safe
@requires("policies.view")
def policy_page(request: HttpRequest, policy_id: int) -> HttpResponse:
    policy = get_object_or_404(
        Policy.objects.select_related("run", "run__launched_by", "candidate__run"), pk=policy_id
    )
    members = selectors.members_of(policy.run)
    context = {
        "policy": policy,
        "run": policy.run,
        "facts": facts_of(policy.run),
        "lines": code_lines(policy.source),
        "fold": code.data_lines(policy.source),
        "outline": code.outline(policy.source),
        "strategy": code.strategy_in_words(policy.source),
        "written_by": written_by(policy.candidate) if policy.candidate else "",
        "weight": selectors.weight_of(policy),
        "rows": selectors.payoff_rows(policy, members),
        "heldout": heldout.look(policy.run, policy_index=policy.index),
        **lineage(policy, members, request.user),
        **page_parts.of_policy(page_parts.PolicyPage(request, policy, members)),
    }
    return render(request, "policies/policy.html", context)


def code_lines(source: str) -> list[tuple[int, str]]:
    """Number and HTML of each line."""
    return [
        (number, code.line_html(tokens)) for number, tokens in enumerate(code.highlight(source), 1)
    ]


def lineage(policy: Policy, members: list[Policy], user: Somebody) -> dict[str, Any]:
    """Where it came from and what came from it; neighbours in the population for the diff."""
    place = [member.pk for member in members].index(policy.pk)
    earlier = members[place - 1] if place else None
    return {
        "parents": list(visible(policy.parents.defer("source"), user)),
        "descendants": list(visible(policy.descendants.defer("source"), user)),
        "chain": selectors.chain_to(policy.candidate) if policy.candidate else [],
        "earlier": earlier,
        "others": [member for member in members if member.pk != policy.pk and member.sha256],
    }


@require_safe
@requires("policies.view")
def policy_source(request: HttpRequest, policy_id: int) -> HttpResponse:
    """The code as a plain text file, for a person's own editor."""
    policy = get_object_or_404(Policy, pk=policy_id)
    response = HttpResponse(policy.source, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="policy-{policy.pk}.py"'
    return response
