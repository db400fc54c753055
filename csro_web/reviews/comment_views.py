"""Writing: comments on lines and replies, kept as drafts or published at once."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from csro_web.accounts.permissions import requires
from csro_web.policies import diff_choice
from csro_web.policies.programs import Program, find, reference
from csro_web.reviews import boxes, drafts, publishing, seen
from csro_web.reviews.errors import AlreadyPublished, ReviewError, Stale
from csro_web.reviews.models import Comment, Side, Thread
from csro_web.reviews.selectors import thread_at
from csro_web.reviews.thread_views import program_of, thread_seen_by, version_of

Keep = Callable[[], Comment]


@require_POST
@requires("reviews.write")
def comment_new(request: HttpRequest, **named: int) -> HttpResponse:
    """A new thread: kept in the reader's draft review, or with ``now`` published at once."""
    program = program_of(**named)
    return _write(request, program, lambda: _open(request, program))


@require_POST
@requires("reviews.write")
def comment_new_draft(request: HttpRequest, **named: int) -> HttpResponse:
    """Keeps what is being typed, without a word to anybody."""
    program = program_of(**named)
    return _keep(request, lambda: _open(request, program))


@require_POST
@requires("reviews.write")
def thread_reply(request: HttpRequest, thread_id: int) -> HttpResponse:
    """A reply, kept or published, from the page of the version ``at``."""
    thread = thread_seen_by(request, thread_id)
    program = version_of(thread, request.POST.get("at", ""))
    return _write(request, program, lambda: _answer(request, thread, program), thread=thread)


@require_POST
@requires("reviews.write")
def thread_reply_draft(request: HttpRequest, thread_id: int) -> HttpResponse:
    thread = thread_seen_by(request, thread_id)
    program = version_of(thread, request.POST.get("at", ""))
    return _keep(request, lambda: _answer(request, thread, program))


@require_POST
@requires("reviews.write")
def comment_discard(request: HttpRequest, comment_id: int) -> HttpResponse:
    comment = _own(request, comment_id)
    program, thread = comment.review.program, comment.thread
    try:
        drafts.discard(comment=comment, person=request.user)
    except ReviewError as error:
        context = {"program": program, "problem": str(error), "title": "It was not discarded"}
        return render(request, "reviews/not_done.html", context, status=409)
    messages.success(request, "The draft was discarded.")
    return redirect(f"{program.get_absolute_url()}#L{thread.last_line}")


@require_safe
@requires("reviews.view")
def comment_page(request: HttpRequest, comment_id: int) -> HttpResponse:
    """The address of one comment: its thread's page, at it."""
    comment = get_object_or_404(Comment.objects.select_related("review"), pk=comment_id)
    if comment.review.is_draft and comment.author_id != request.user.pk:
        raise Http404("a draft is seen by its author alone")
    address = reverse("thread", args=[comment.thread_id])
    return redirect(f"{address}?at={comment.review.reference}#comment-{comment.pk}")


def _own(request: HttpRequest, comment_id: int) -> Comment:
    found = Comment.objects.select_related(
        "review__policy__run", "review__candidate__run", "thread"
    )
    return get_object_or_404(found, pk=comment_id, author=request.user)


def _open(request: HttpRequest, program: Program) -> Comment:
    return drafts.open_thread(
        program=program,
        person=request.user,
        key=boxes.key_of(request.POST),
        selection=boxes.selection_of(request.POST, request.user),
        body=boxes.body_of(request.POST),
        wants_confirmation="wants_confirmation" in request.POST,
    )


def _answer(request: HttpRequest, thread: Thread, program: Program) -> Comment:
    return drafts.reply(
        thread=thread,
        program=program,
        person=request.user,
        key=boxes.key_of(request.POST),
        body=boxes.body_of(request.POST),
    )


def _keep(request: HttpRequest, keep: Keep) -> HttpResponse:
    try:
        comment = keep()
    except ReviewError as error:
        context = {"problem": str(error)}
        return render(request, "reviews/kept.html", context, status=409)
    return render(request, "reviews/kept.html", {"comment": comment})


def _write(
    request: HttpRequest, program: Program, keep: Keep, *, thread: Thread | None = None
) -> HttpResponse:
    comment: Comment | None = None
    try:
        comment = keep()
        if "now" not in request.POST:
            if not comment.body.strip():
                raise ReviewError("Write something first.")
            messages.success(request, "Kept in your review. Nobody sees it before you publish it.")
            return redirect(f"{_page(request, program)}#box-{comment.key}")
        mark = request.POST.get("seen", "")
        publishing.publish_alone(comment=comment, program=program, person=request.user, mark=mark)
    except AlreadyPublished:
        return _sent_before(request, program, thread)
    except ReviewError as error:
        return _not_done(request, program, thread, comment, error)
    messages.success(request, "Published.")
    return redirect(f"{_page(request, program)}#thread-{comment.thread_id}")


def _sent_before(request: HttpRequest, program: Program, thread: Thread | None) -> HttpResponse:
    """The box was sent twice, or published in another window; other words stay to be sent anew."""
    comment = Comment.objects.select_related("thread").get(key=boxes.key_of(request.POST))
    if comment.body == drafts.check_length(boxes.body_of(request.POST)):
        messages.info(request, "This comment was published already, once.")
        return redirect(f"{_page(request, program)}#thread-{comment.thread_id}")
    error = Stale(["This box was published in another window, with other words than these."])
    return _not_done(request, program, comment.thread, None, error)


def _not_done(
    request: HttpRequest,
    program: Program,
    thread: Thread | None,
    comment: Comment | None,
    error: ReviewError,
) -> HttpResponse:
    """Why, and the text in a box that can be sent as it is."""
    stale = isinstance(error, Stale)
    box = _box_again(request, program, thread, comment)
    context = {
        "program": program,
        "run": program.run,
        "thread": thread,
        "title": "Something changed while you wrote" if stale else "This was not done",
        "changes": error.changes if stale else [],
        "problem": "" if stale else str(error),
        "box": box,
        "kept": comment is not None,
        "page": _page(request, program),
    }
    return render(request, "reviews/not_done.html", context, status=409 if stale else 422)


def _box_again(
    request: HttpRequest, program: Program, thread: Thread | None, comment: Comment | None
) -> boxes.Box:
    text = boxes.body_of(request.POST)
    if thread is not None:
        at = thread_at(thread, program)
        mark = seen.mark(program, [at] if at else [])
        return boxes.again(boxes.for_reply(thread, program, seen=mark, draft=comment), text)
    if comment is not None:
        mark = seen.mark(program, [])
        return boxes.again(boxes.for_draft_thread(comment, program), text, seen=mark)
    given = request.POST
    return boxes.again(
        boxes.for_new_thread(program), text, lines=(given.get("first"), given.get("last"))
    )


def _page(request: HttpRequest, program: Program) -> str:
    """The page that the form stood on."""
    other = find(request.POST.get("other", ""), request.user)
    if other is not None:
        if request.POST.get("side") == Side.OLD:
            return diff_choice.url(program, other)
        if request.POST.get("side") == Side.NEW:
            return diff_choice.url(other, program)
    if request.POST.get("page") == "thread" and request.resolver_match.url_name == "thread-reply":
        address = reverse("thread", args=[request.resolver_match.kwargs["thread_id"]])
        return f"{address}?at={reference(program)}"
    return program.get_absolute_url()
