"""The page of a policy's approval, and what people do on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from csro_web.accounts.permissions import requires
from csro_web.approvals import decisions, page, reevaluations, services
from csro_web.approvals.decisions import DecisionRefused
from csro_web.approvals.forms import WORDS, DecisionForm
from csro_web.approvals.states import Event
from csro_web.policies.models import Policy

_DECISIONS: Mapping[Event, Callable[..., Any]] = {
    Event.REJECTED: decisions.reject,
    Event.CHANGES_REQUESTED: decisions.request_changes,
    Event.APPROVAL_WITHDRAWN: decisions.withdraw_approval,
    Event.TAKEN_UP: decisions.take_up,
}
_DONE = {
    Event.APPROVED: "Approved. The approval binds to the program with this hash alone.",
    Event.REJECTED: "Rejected.",
    Event.CHANGES_REQUESTED: "Changes are requested.",
    Event.APPROVAL_WITHDRAWN: "The approval was taken back.",
    Event.TAKEN_UP: "It is in review again.",
}


@require_safe
@requires("approvals.view")
def approval_page(request: HttpRequest, policy_id: int) -> HttpResponse:
    return _show(request, _policy(policy_id), DecisionForm())


@require_http_methods(["GET", "HEAD", "POST"])
@requires("approvals.decide")
def decide(request: HttpRequest, policy_id: int) -> HttpResponse:
    """GET shows the page with what was typed before the person's session ended."""
    policy = _policy(policy_id)
    if request.method != "POST":
        return _show(request, policy, DecisionForm(initial={"reason": request.GET.get("reason")}))
    form = DecisionForm(request.POST)
    if not form.is_valid():
        return _show(request, policy, form, status=422)
    event, words = Event(form.cleaned_data["decision"]), form.cleaned_data["reason"]
    try:
        if event is Event.APPROVED:
            seen = form.cleaned_data["sha256"]
            decisions.approve(policy=policy, person=request.user, seen_sha256=seen, statement=words)
        else:
            _DECISIONS[event](policy=policy, person=request.user, reason=words)
    except DecisionRefused as error:
        form.add_error(None, f"Nothing was decided: {error}")
        return _show(request, _policy(policy_id), form, status=409)
    messages.success(request, _DONE[event])
    return redirect("policy-approval", policy_id)


@require_POST
@requires("approvals.evaluate")
def reevaluate(request: HttpRequest, policy_id: int) -> HttpResponse:
    policy = _policy(policy_id)
    try:
        reevaluations.ask(policy=policy, person=request.user)
    except reevaluations.CannotReevaluate as error:
        messages.error(request, str(error))
    return redirect("policy-approval", policy_id)


def _policy(policy_id: int) -> Policy:
    related = ("run__launched_by", "candidate__run")
    return get_object_or_404(Policy.objects.select_related(*related), pk=policy_id)


def _show(
    request: HttpRequest, policy: Policy, form: DecisionForm, *, status: int = 200
) -> HttpResponse:
    services.notice_other_content(policy)
    context = {**page.of(policy, request.user), "form": form, "words": WORDS}
    return render(request, "approvals/page.html", context, status=status)
