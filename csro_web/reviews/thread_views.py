"""Reading threads: one by its address, those of a policy, those of a run; and deciding on them."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from csro_web.accounts.permissions import requires
from csro_web.policies.models import Candidate, Policy
from csro_web.policies.programs import Program, read_reference, reference
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
    program = version_of(thread, request.GET.get("at", ""))
    one = next(
        (one for one in shown.reading(program, request.user).threads if one.thread.pk == thread.pk),
        None,
    )
    if one is None:
        return redirect(f"{program.get_absolute_url()}#box-{thread.comments.first().key}")
    inbox.mark_read_at(request.user, threads=[thread.pk], reviews=[])
    context = {
        "one": one,
        "thread": thread,
        "program": program,
        "run": program.run,
        "versions": lists.versions_with(thread),
        "reply_box": one.draft or boxes.for_reply(thread, program, seen=one.seen),
        "published_keys": shown.published_keys(request.user, [program]),
    }
    return render(request, "reviews/thread_page.html", context)


@require_safe
@requires("reviews.view")
def program_threads(request: HttpRequest, **named: int) -> HttpResponse:
    program = program_of(**named)
    found = shown.reading(program, request.user).threads
    state = lists.state_of(request.GET.get("state", ""))
    context = {
        "program": program,
        "run": program.run,
        "rows": lists.page_of(lists.of_policy(found, state), request.GET.get("page")),
        "counts": lists.counts_of(found),
        "state": state,
        "states": lists.STATES,
    }
    return render(request, "reviews/program_threads.html", context)


@require_safe
@requires("reviews.view")
def run_threads(request: HttpRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run, pk=run_id)
    state = lists.state_of(request.GET.get("state", ""))
    page, rows = lists.of_run(run, state, request.GET.get("page"))
    context = {
        "run": run,
        "page": page,
        "rows": rows,
        "counts": lists.counts_of_run(run),
        "state": state,
        "states": lists.STATES,
        "most": lists.MOST_LOOKED_AT,
    }
    return render(request, "reviews/run_threads.html", context)


@require_POST
@requires("reviews.write")
def thread_resolve(request: HttpRequest, thread_id: int) -> HttpResponse:
    mark = request.POST.get("seen", "")
    return _decide(
        request,
        thread_id,
        lambda thread, program: resolving.resolve(
            thread=thread, program=program, person=request.user, mark=mark
        ),
        "Resolved.",
    )


@require_POST
@requires("reviews.write")
def thread_reopen(request: HttpRequest, thread_id: int) -> HttpResponse:
    return _decide(
        request,
        thread_id,
        lambda thread, program: resolving.reopen(
            thread=thread, program=program, person=request.user
        ),
        "Opened again.",
    )


@require_POST
@requires("reviews.write")
def thread_confirm(request: HttpRequest, thread_id: int) -> HttpResponse:
    return _decide(
        request,
        thread_id,
        lambda thread, program: resolving.confirm(
            thread=thread, program=program, person=request.user
        ),
        "Confirmed.",
    )


def _decide(
    request: HttpRequest, thread_id: int, act: Callable[[Thread, Program], None], done: str
) -> HttpResponse:
    thread = thread_seen_by(request, thread_id)
    program = version_of(thread, request.POST.get("at", ""))
    try:
        act(thread, program)
    except ReviewError as error:
        return _not_decided(request, thread, program, error)
    messages.success(request, done)
    if request.POST.get("page") == "thread":
        return redirect(
            f"{reverse('thread', args=[thread.pk])}?at={reference(program)}#thread-{thread.pk}"
        )
    return redirect(f"{program.get_absolute_url()}#thread-{thread.pk}")


def _not_decided(
    request: HttpRequest, thread: Thread, program: Program, error: ReviewError
) -> HttpResponse:
    stale = isinstance(error, Stale)
    found = shown.reading(program, request.user).threads
    context = {
        "program": program,
        "run": program.run,
        "thread": thread,
        "one": next((one for one in found if one.thread.pk == thread.pk), None),
        "title": "Something changed meanwhile" if stale else "This was not done",
        "changes": error.changes if stale else [],
        "problem": "" if stale else str(error),
        "page": f"{reverse('thread', args=[thread.pk])}?at={reference(program)}",
    }
    return render(request, "reviews/not_done.html", context, status=409)


def thread_seen_by(request: HttpRequest, thread_id: int) -> Thread:
    """The thread, unless it is somebody else's draft."""
    found = Thread.objects.select_related("policy__run", "candidate__run", "opened_by", "review")
    thread = get_object_or_404(found, pk=thread_id)
    if thread.review.is_draft and thread.opened_by_id != request.user.pk:
        raise Http404("a draft is seen by its author alone")
    return thread


def program_of(*, policy_id: int | None = None, candidate_id: int | None = None) -> Program:
    """The program that an address names, with its run."""
    if candidate_id is not None:
        return get_object_or_404(Candidate.objects.select_related("run"), pk=candidate_id)
    return get_object_or_404(Policy.objects.select_related("run"), pk=policy_id)


def version_of(thread: Thread, text: str) -> Program:
    """The version that a page or a form is about: one that the thread belongs to, else its own."""
    named = read_reference(text)
    if named is None or text == thread.reference:
        return thread.program
    kind, key = named
    there = kind.objects.select_related("run").filter(pk=key, run=thread.run_id).first()
    if there is None or thread_at(thread, there) is None:
        raise Http404("the thread does not belong to this version")
    return there
