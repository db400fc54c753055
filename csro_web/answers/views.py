"""The pages on which people answer in a model's place."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from csro_web.accounts.ownership import visible
from csro_web.accounts.permissions import requires
from csro_web.answers import selectors, services
from csro_web.answers.models import Answer
from csro_web.pages.keys import row_number
from csro_web.runs.models import Run, Step, StepState
from oracles.config import WriterName

REQUESTS_PER_PAGE = 50


@require_safe
@requires("requests.view")
def request_list(request: HttpRequest) -> HttpResponse:
    """Requests that wait for an answer, of all runs or of one (``?run=N``)."""
    found = selectors.waiting(request.user)
    run_id = row_number(request.GET.get("run", ""))
    runs = visible(Run.objects.all(), request.user, path="")
    run = None if run_id is None else runs.filter(pk=run_id).first()
    if run is not None:
        found = found.filter(run=run)
    page = Paginator(found, REQUESTS_PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "answers/list.html", {"page": page, "run": run})


@require_http_methods(["GET", "HEAD", "POST"])
@requires("requests.answer")
def request_page(request: HttpRequest, step_id: int) -> HttpResponse:
    """The prompt, and the place for its answer; ``check`` tries an answer without sending it."""
    step = _manual_step(step_id)
    if request.method != "POST":
        return _with_draft(request, step)
    text = request.POST.get("answer", "").replace("\r\n", "\n")
    if "check" in request.POST:
        return _check(request, step, text)
    try:
        services.send(
            step=step,
            person=request.user,
            text=text,
            although_refused="although_refused" in request.POST,
        )
    except services.Refused as refused:
        return _show(request, step, text, candidate=refused.candidate, status=422)
    except services.AnswerError as error:
        return _show(request, step, text, problem=str(error), status=409)
    messages.success(request, "Sent. The run goes on with your answer.")
    return redirect("run", step.run_id)


def _with_draft(request: HttpRequest, step: Step) -> HttpResponse:
    draft = selectors.draft_of(step, request.user)
    if draft is None or not draft.text.strip() or step.state != StepState.WAITING:
        return _show(request, step, "" if draft is None or draft.sent_at else draft.text)
    trial = selectors.try_answer(step, draft.text)
    return _show(request, step, draft.text, candidate=trial.candidate, kept_at=draft.updated_at)


def _check(request: HttpRequest, step: Step, text: str) -> HttpResponse:
    try:
        draft = services.save_draft(step=step, person=request.user, text=text)
    except services.AnswerError as error:
        return _show(request, step, text, problem=str(error), status=409)
    trial = selectors.try_answer(step, draft.text)
    return _show(request, step, text, candidate=trial.candidate)


@require_POST
@requires("requests.answer")
def request_draft(request: HttpRequest, step_id: int) -> HttpResponse:
    """Keeps the draft while its author types and says what the run would make of it."""
    step = _manual_step(step_id)
    text = request.POST.get("answer", "").replace("\r\n", "\n")
    try:
        draft = services.save_draft(step=step, person=request.user, text=text)
    except services.AnswerError as error:
        return render(request, "answers/verdict.html", {"problem": str(error)}, status=409)
    candidate = selectors.try_answer(step, draft.text).candidate if text.strip() else None
    context = {"candidate": candidate, "kept_at": draft.updated_at}
    return render(request, "answers/verdict.html", context)


def _manual_step(step_id: int) -> Step:
    return get_object_or_404(
        Step.objects.select_related("run"), pk=step_id, run__writer=WriterName.MANUAL, kind="write"
    )


def _show(
    request: HttpRequest, step: Step, text: str, *, status: int = 200, **more: Any
) -> HttpResponse:
    open_still = step.state == StepState.WAITING and not step.run.has_ended
    sent = Answer.objects.filter(step=step, sent_at__isnull=False).select_related("person").first()
    context = {
        "step": step,
        "run": step.run,
        "text": text,
        "open_still": open_still,
        "sent": sent,
        "prompt": selectors.request_of(step).messages if open_still else step_messages(step),
        "others": selectors.others_at_work(step, request.user),
        **more,
    }
    return render(request, "answers/request.html", context, status=status)


def step_messages(step: Step) -> list[dict[str, str]]:
    """The prompt as it was answered; empty when it never was."""
    found: list[dict[str, str]] = (step.result or {}).get("messages", [])
    return found
