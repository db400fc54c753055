"""The pages of what a run asked language models, and what they answered."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from csro_web.accounts.permissions import requires
from csro_web.calls import exports, resending, selectors
from csro_web.calls.models import CallOutcome, CallPurpose, ModelCall
from csro_web.runs.models import Run


@require_safe
@requires("calls.view")
def call_list(request: HttpRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run, pk=run_id)
    narrow = selectors.CallFilter.from_query(request.GET)
    context = {
        "run": run,
        "spent": selectors.spent_by(run),
        "page": selectors.list_calls(run, narrow, request.GET.get("page")),
        "narrow": narrow,
        "outcomes": CallOutcome.choices,
        "purposes": CallPurpose.choices,
    }
    return render(request, "calls/list.html", context)


@require_safe
@requires("calls.view")
def call_page(request: HttpRequest, call_id: int) -> HttpResponse:
    call = get_object_or_404(ModelCall.objects.select_related("run"), pk=call_id)
    context = {
        "call": call,
        "run": call.run,
        "candidate": selectors.candidate_of(call),
        "summarised": selectors.summarised_by(call),
        "original": selectors.original_of(call),
        "same_key": selectors.same_key(call),
        "repeated": selectors.repeated(call),
        "resends": list(call.resends.select_related("asked_by")),
    }
    return render(request, "calls/call.html", context)


@require_POST
@requires("calls.resend")
def call_resend(request: HttpRequest, call_id: int) -> HttpResponse:
    call = get_object_or_404(ModelCall.objects.select_related("run"), pk=call_id)
    try:
        resending.ask_resend(call=call, asked_by=request.user)
    except resending.ResendError as error:
        messages.error(request, f"Not sent: {error}.")
    else:
        messages.success(request, "A worker sends it once more. The run does not change.")
    return redirect("call", call_id)


@require_safe
@requires("calls.view")
def call_csv(request: HttpRequest, run_id: int) -> StreamingHttpResponse:
    """Every call of the run without its texts, one line each."""
    run = get_object_or_404(Run, pk=run_id)
    response = StreamingHttpResponse(exports.csv_lines(run), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="run-{run.pk}-calls.csv"'
    return response


@require_safe
@requires("calls.view")
def call_json(request: HttpRequest, run_id: int) -> StreamingHttpResponse:
    """Every call of the run with everything that was said."""
    run = get_object_or_404(Run, pk=run_id)
    response = StreamingHttpResponse(exports.json_parts(run), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="run-{run.pk}-calls.json"'
    return response
