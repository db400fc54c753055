"""The pages of runs."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from csro_web.accounts.permissions import requires
from csro_web.runs import selectors
from csro_web.runs.models import Run, RunState


@require_safe
@requires("runs.view")
def run_list(request: HttpRequest) -> HttpResponse:
    narrow = selectors.RunFilter.from_query(request.GET)
    context = {
        "page": selectors.list_runs(narrow, request.GET.get("page")),
        "narrow": narrow,
        "choices": selectors.filter_choices(),
        "states": RunState.choices,
    }
    return render(request, "runs/list.html", context)


@require_safe
@requires("runs.view")
def run_page(request: HttpRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run.objects.select_related("launched_by"), pk=run_id)
    return render(request, "runs/run.html", {"run": run})
