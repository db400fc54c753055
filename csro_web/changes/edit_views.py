"""The page on which a policy is edited: an ordinary form that scripts make comfortable.

Every answer holds the text that was sent. The draft is saved first, whatever else is asked for.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from csro_web.accounts.permissions import requires
from csro_web.changes import edit_drafts, trial_views, trials
from csro_web.changes.edit_drafts import DraftError, StaleDraft
from csro_web.changes.edit_models import EditDraft
from csro_web.changes.edit_page import differences, page_context, typed_in, verdict_context
from csro_web.pages.keys import row_number
from csro_web.policies.models import Policy
from oracles.handwritten import normalised

CONFLICT, REFUSED = 409, 422


@require_http_methods(["GET", "HEAD", "POST"])
@requires("changes.try")
def edit_page(request: HttpRequest, policy_id: int) -> HttpResponse:
    """The editor. A POST saves the draft; ``use`` takes up a text that was set aside."""
    policy = editable(policy_id)
    if request.method != "POST":
        context = page_context(policy, request.user, with_diff=request.GET.get("diff") == "1")
        return render(request, "changes/edit.html", context)
    typed = typed_in(request)
    try:
        draft = edit_drafts.save(policy=policy, person=request.user, typed=typed)
        if "use" in request.POST:
            aside = row_number(request.POST["use"]) or 0
            typed = edit_drafts.Typed(typed.text, draft.version, typed.tab, 0)
            edit_drafts.take_up(draft=draft, aside_id=aside, typed=typed)
    except DraftError as error:
        return shown(request, policy, error=error, status=CONFLICT)
    messages.success(request, "The draft is saved.")
    suffix = "?diff=1#differences" if "diff" in request.POST else ""
    return redirect(reverse("policy-edit", args=[policy.pk]) + suffix)


@require_POST
@requires("changes.try")
def edit_draft(request: HttpRequest, policy_id: int) -> HttpResponse:
    """Saves the draft while its author types, and says what was found. A fragment.

    The header ``X-Draft-Version`` is there if, and only if, the text is safe on the server.
    """
    policy = editable(policy_id)
    typed = typed_in(request)
    try:
        draft = edit_drafts.save(policy=policy, person=request.user, typed=typed)
    except DraftError as error:
        context = {"policy": policy, "error": error, "stale": isinstance(error, StaleDraft)}
        return render(request, "changes/not_saved.html", context, status=CONFLICT)
    response = render(
        request, "changes/verdict.html", {**verdict_context(policy, typed.text), "draft": draft}
    )
    return confirmed(response, draft)


@require_POST
@requires("changes.try")
def edit_differences(request: HttpRequest, policy_id: int) -> HttpResponse:
    """What the text changes in its parent. A fragment; nothing is saved."""
    policy = editable(policy_id)
    text = normalised(typed_in(request).text)
    context = {"policy": policy, **differences(policy.source, text)}
    return render(request, "changes/differences.html", context)


@require_POST
@requires("changes.try")
def edit_discard(request: HttpRequest, policy_id: int) -> HttpResponse:
    """Drop the draft and begin again with the policy as it is."""
    policy = editable(policy_id)
    version = row_number(request.POST.get("version", "")) or 0
    if edit_drafts.discard(policy=policy, person=request.user, version=version):
        messages.info(request, "The draft is discarded. This is the policy as it is.")
    elif edit_drafts.draft_of(policy, request.user) is not None:
        messages.warning(
            request,
            "Nothing was discarded: the draft has changed since that page was opened. This is it.",
        )
    return redirect("policy-edit", policy.pk)


@require_POST
@requires("changes.try")
def edit_try(request: HttpRequest, policy_id: int) -> HttpResponse:
    """Begin a trial of the text; it is saved as the draft first."""
    policy = editable(policy_id)
    typed = typed_in(request)
    try:
        draft = edit_drafts.save(policy=policy, person=request.user, typed=typed)
    except DraftError as error:
        return _not_tried(request, policy, error, CONFLICT)
    try:
        trial = trials.ask(
            policy=policy,
            person=request.user,
            text=typed.text,
            episodes=row_number(request.POST.get("episodes", "")) or trials.DEFAULT_EPISODES,
        )
    except trials.TrialRefused as error:
        return confirmed(_not_tried(request, policy, error, REFUSED), draft)
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect("trial", trial.pk)
    return confirmed(render(request, "changes/trial_live.html", trial_views.shown(trial)), draft)


def _not_tried(request: HttpRequest, policy: Policy, error: Exception, status: int) -> HttpResponse:
    if request.htmx:  # type: ignore[attr-defined]
        context = {"policy": policy, "error": error, "stale": isinstance(error, StaleDraft)}
        return render(request, "changes/not_saved.html", context, status=status)
    return shown(request, policy, error=error, status=status)


def editable(policy_id: int) -> Policy:
    """The policy, if it has a program that can be edited."""
    policy = get_object_or_404(Policy.objects.select_related("run"), pk=policy_id)
    if not policy.source:
        raise Http404("a reference bot has no program to edit")
    return policy


def shown(
    request: HttpRequest, policy: Policy, *, error: Exception, status: int, **more: Any
) -> HttpResponse:
    """The page with everything that was typed, and what went wrong."""
    context = page_context(
        policy, request.user, typed=typed_in(request), posted=request.POST.dict()
    )
    context |= {"error": error, "stale": isinstance(error, StaleDraft), **more}
    return render(request, "changes/edit.html", context, status=status)


def confirmed(response: HttpResponse, draft: EditDraft) -> HttpResponse:
    response["X-Draft-Version"] = str(draft.version)
    return response
