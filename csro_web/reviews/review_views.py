"""A review as a whole: the reader's draft and its publication, and published ones."""

from __future__ import annotations

from uuid import uuid4

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from csro_web.accounts.permissions import requires
from csro_web.pages.keys import row_number
from csro_web.policies.programs import HEAVY, Program, address
from csro_web.reviews import boxes, drafts, inbox, publishing, seen, shown
from csro_web.reviews.errors import ReviewError, Stale
from csro_web.reviews.models import Comment, Review, Verdict
from csro_web.reviews.thread_views import program_of


@require_http_methods(["GET", "HEAD", "POST"])
@requires("reviews.write")
def review_edit(request: HttpRequest, **named: int) -> HttpResponse:
    """Everything the reader has not published yet about a program, its verdict, and Publish."""
    program = program_of(**named)
    if request.method != "POST":
        return _show(request, program)
    try:
        review = publishing.publish(
            program=program,
            person=request.user,
            key=boxes.key_of(request.POST),
            body=boxes.body_of(request.POST),
            verdict=_verdict(request),
            mark=request.POST.get("seen", ""),
            draft=row_number(request.POST.get("draft", "")),
        )
    except ReviewError as error:
        return _show(request, program, error=error)
    messages.success(request, "Your review is published.")
    return redirect(f"{reverse('review', args=[review.pk])}?sent=1")


@require_POST
@requires("reviews.write")
def review_draft(request: HttpRequest, **named: int) -> HttpResponse:
    """Keeps the review's own words while they are typed."""
    program = program_of(**named)
    try:
        review = drafts.keep_words(
            program=program,
            person=request.user,
            body=boxes.body_of(request.POST),
            verdict=_verdict(request),
        )
    except ReviewError as error:
        return render(request, "reviews/kept.html", {"problem": str(error)}, status=409)
    return render(request, "reviews/kept.html", {"review": review})


@require_safe
@requires("reviews.view")
def review_page(request: HttpRequest, review_id: int) -> HttpResponse:
    """A published review; the address of a draft leads its author to it."""
    review = get_object_or_404(
        Review.objects.select_related("policy__run", "candidate__run", "run", "author"),
        pk=review_id,
    )
    if review.is_draft:
        if review.author_id != request.user.pk:
            raise Http404("a draft is seen by its author alone")
        return redirect(address(review.program, "review"))
    inbox.mark_read_at(request.user, threads=[], reviews=[review.pk])
    comments = Comment.objects.filter(review=review).select_related(
        "thread__policy", "thread__candidate", "author"
    )
    context = {
        "review": review,
        "program": review.program,
        "run": review.run,
        "comments": comments.defer(
            "thread__policy__source", *(f"thread__candidate__{name}" for name in HEAVY)
        ),
        "just_sent": "sent" in request.GET and review.author_id == request.user.pk,
    }
    return render(request, "reviews/review_page.html", context)


def _verdict(request: HttpRequest) -> Verdict:
    given = request.POST.get("verdict", "")
    return Verdict(given) if given in Verdict.values else Verdict.COMMENT


def _show(
    request: HttpRequest, program: Program, *, error: ReviewError | None = None
) -> HttpResponse:
    if not program.source:
        raise Http404("there is no program to review")
    reading = shown.reading(program, request.user)
    replied = [one for one in reading.threads if one.draft is not None]
    stale = error if isinstance(error, Stale) else None
    draft = reading.review
    context = {
        "program": program,
        "run": program.run,
        "withdrawn": seen.is_withdrawn(program),
        "reading": reading,
        "new_threads": [boxes.for_draft_thread(one, program) for one in reading.drafts],
        "quotes": {str(one.key): one.thread.quote for one in reading.drafts},
        "replied": replied,
        "draft": draft,
        "text": boxes.body_of(request.POST) if error else (draft.body if draft else ""),
        "verdict": _verdict(request) if error else (draft.verdict if draft else Verdict.COMMENT),
        "verdicts": Verdict.choices,
        "key": uuid4(),
        "seen": seen.mark(program, [one.at for one in replied]),
        "changes": stale.changes if stale else [],
        "problem": str(error) if error and not stale else "",
        "back": program.get_absolute_url(),
    }
    status = 200 if error is None else 409 if stale else 422
    return render(request, "reviews/review_edit.html", context, status=status)
