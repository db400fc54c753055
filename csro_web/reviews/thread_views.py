"""Reading threads: one by its address, those of a policy, those of a run; and deciding on them."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from csro_web.accounts.permissions import requires
from csro_web.pages.keys import row_number
from csro_web.policies.models import Policy
from csro_web.reviews import boxes, inbox, lists, resolving, shown
from csro_web.reviews.errors import ReviewError, Stale
from csro_web.reviews.models import Thread
from csro_web.reviews.selectors import thread_at
from csro_web.runs.models import Run


@require_safe
@requires("reviews.view")
def thread_page(request: HttpRequest, thread_id: int) -> HttpResponse:
    """One thread, as it stands at a version (``?at=``; else at the one it was opened on)."""
    thread = thread_seen_by(request, thread_id)
    policy = version_of(thread, request.GET.get("at", ""))
    one = next(
        (one for one in shown.reading(policy, request.user).threads if one.thread.pk == thread.pk),
        None,
    )
    if one is None:
        return redirect(f"{reverse('policy', args=[policy.pk])}#box-{thread.comments.first().key}")
    inbox.mark_read_at(request.user, threads=[thread.pk], reviews=[])
    context = {
        "one": one,
        "thread": thread,
        "policy": policy,
        "run": policy.run,
        "versions": lists.versions_with(thread),
        "reply_box": one.draft or boxes.for_reply(thread, policy, seen=one.seen),
        "published_keys": shown.published_keys(request.user, [policy]),
    }
    return render(request, "reviews/thread_page.html", context)


@require_safe
@requires("reviews.view")
def policy_threads(request: HttpRequest, policy_id: int) -> HttpResponse:
    policy = get_object_or_404(Policy.objects.select_related("run"), pk=policy_id)
    found = shown.reading(policy, request.user).threads
    state = lists.state_of(request.GET.get("state", ""))
    context = {
        "policy": policy,
        "run": policy.run,
        "rows": lists.page_of(lists.of_policy(found, state), request.GET.get("page")),
        "counts": lists.counts_of(found),
        "state": state,
        "states": lists.STATES,
    }
    return render(request, "reviews/policy_threads.html", context)


@require_safe
@requires("reviews.view")
def run_threads(request: HttpRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run, pk=run_id)
    state = lists.state_of(request.GET.get("state", ""))
    found = lists.of_run(run)
    context = {
        "run": run,
        "rows": lists.page_of(
            [row for row in found if lists.fits(row, state)], request.GET.get("page")
        ),
        "counts": lists.counts_of_rows(found),
        "state": state,
        "states": lists.STATES,
    }
    return render(request, "reviews/run_threads.html", context)


@require_POST
@requires("reviews.write")
def thread_resolve(request: HttpRequest, thread_id: int) -> HttpResponse:
    mark = request.POST.get("seen", "")
    return _decide(
        request,
        thread_id,
        lambda thread, policy: resolving.resolve(
            thread=thread, policy=policy, person=request.user, mark=mark
        ),
        "Resolved.",
    )


@require_POST
@requires("reviews.write")
def thread_reopen(request: HttpRequest, thread_id: int) -> HttpResponse:
    return _decide(
        request,
        thread_id,
        lambda thread, policy: resolving.reopen(thread=thread, policy=policy, person=request.user),
        "Opened again.",
    )


@require_POST
@requires("reviews.write")
def thread_confirm(request: HttpRequest, thread_id: int) -> HttpResponse:
    return _decide(
        request,
        thread_id,
        lambda thread, policy: resolving.confirm(thread=thread, policy=policy, person=request.user),
        "Confirmed.",
    )


def _decide(
    request: HttpRequest, thread_id: int, act: Callable[[Thread, Policy], None], done: str
) -> HttpResponse:
    thread = thread_seen_by(request, thread_id)
    policy = version_of(thread, request.POST.get("at", ""))
    try:
        act(thread, policy)
    except ReviewError as error:
        return _not_decided(request, thread, policy, error)
    messages.success(request, done)
    if request.POST.get("page") == "thread":
        return redirect(f"{reverse('thread', args=[thread.pk])}?at={policy.pk}#thread-{thread.pk}")
    return redirect(f"{reverse('policy', args=[policy.pk])}#thread-{thread.pk}")


def _not_decided(
    request: HttpRequest, thread: Thread, policy: Policy, error: ReviewError
) -> HttpResponse:
    stale = isinstance(error, Stale)
    found = shown.reading(policy, request.user).threads
    context = {
        "policy": policy,
        "run": policy.run,
        "thread": thread,
        "one": next((one for one in found if one.thread.pk == thread.pk), None),
        "title": "Something changed meanwhile" if stale else "This was not done",
        "changes": error.changes if stale else [],
        "problem": "" if stale else str(error),
        "page": f"{reverse('thread', args=[thread.pk])}?at={policy.pk}",
    }
    return render(request, "reviews/not_done.html", context, status=409)


def thread_seen_by(request: HttpRequest, thread_id: int) -> Thread:
    """The thread, unless it is somebody else's draft."""
    found = Thread.objects.select_related("policy__run", "opened_by", "review")
    thread = get_object_or_404(found, pk=thread_id)
    if thread.review.is_draft and thread.opened_by_id != request.user.pk:
        raise Http404("a draft is seen by its author alone")
    return thread


def version_of(thread: Thread, text: str) -> Policy:
    """The version that a page or a form is about: one that the thread belongs to, else its own."""
    number = row_number(text)
    if number is None or number == thread.policy_id:
        return thread.policy
    there = Policy.objects.select_related("run").filter(pk=number, run=thread.policy.run_id).first()
    if there is None or thread_at(thread, there) is None:
        raise Http404("the thread does not belong to this policy")
    return there
