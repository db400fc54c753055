"""The pages of what people changed, and the forms that take a policy out and put it back."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_http_methods, require_safe

from csro_web.accounts.permissions import requires
from csro_web.changes import change_page, selectors, services
from csro_web.changes.models import LONGEST_REASON, Change
from csro_web.policies.models import Policy
from csro_web.runs.catalogue import facts_of
from csro_web.runs.models import Run

REFUSED = 409


@require_safe
@requires("changes.view")
def change_show(request: HttpRequest, change_id: int) -> HttpResponse:
    context = change_page.page_context(_change(change_id), request.user)
    return render(request, "changes/change.html", context)


@require_safe
@requires("changes.view")
def change_live(request: HttpRequest, change_id: int) -> HttpResponse:
    """The body of the page once its run has changed since the cursor ``since``; else 204."""
    change = _change(change_id)
    cursor = request.GET.get("since") == str(change.run.change)
    if cursor and change_page.is_live(change):
        return HttpResponse(status=204)
    response = render(
        request, "changes/change_body.html", change_page.page_context(change, request.user)
    )
    patch_cache_control(response, no_store=True)
    return response


@require_safe
@requires("changes.view")
def run_changes(request: HttpRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run, pk=run_id)
    page = selectors.list_changes(run, request.GET.get("page"))
    context = {"run": run, "facts": facts_of(run), "page": page, "changes": page.object_list}
    return render(request, "changes/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@requires("changes.withdraw")
def policy_withdraw(request: HttpRequest, policy_id: int) -> HttpResponse:
    return _mark(request, policy_id, "withdraw", services.withdraw)


@require_http_methods(["GET", "HEAD", "POST"])
@requires("changes.withdraw")
def policy_restore(request: HttpRequest, policy_id: int) -> HttpResponse:
    return _mark(request, policy_id, "restore", services.restore)


def _mark(
    request: HttpRequest, policy_id: int, what: str, change: Callable[..., Change]
) -> HttpResponse:
    """The form with its reason; a refusal keeps what was typed."""
    policy = get_object_or_404(Policy.objects.select_related("run"), pk=policy_id)
    context = {
        "policy": policy,
        "run": policy.run,
        "what": what,
        "reason": request.POST.get("reason", ""),
        "longest": LONGEST_REASON,
        "note": change_page.run_note(policy.run),
        "closed": services.why_unchangeable(policy.run),
    }
    if request.method != "POST":
        return render(request, "changes/mark.html", context)
    try:
        made = change(policy=policy, person=request.user, reason=context["reason"])
    except services.ChangeError as error:
        return render(request, "changes/mark.html", {**context, "error": error}, status=REFUSED)
    messages.success(request, "Recorded. This page shows what it does as soon as that is known.")
    return redirect("change", made.pk)


def _change(change_id: int) -> Change:
    return get_object_or_404(
        Change.objects.select_related("run", "author", "policy").defer("policy__source"),
        pk=change_id,
    )
