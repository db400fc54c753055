"""The pages of runs: the list, the live page, and what a run's payoffs are as a file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from csro_web.accounts.permissions import requires
from csro_web.pages.csv_lines import Echo, safe_cell
from csro_web.runs import live, selectors
from csro_web.runs.models import Run, RunState
from csro_web.runs.prompt_texts import prompts_of
from csro_web.runs.settings_list import settings_of


@require_safe
@requires("runs.view")
def run_list(request: HttpRequest) -> HttpResponse:
    narrow = selectors.RunFilter.from_query(request.GET)
    page = selectors.list_runs(narrow, request.GET.get("page"), request.user)
    rows = {"page": page, "going_on": any(not run.has_ended for run in page)}
    if request.htmx and page.object_list:  # type: ignore[attr-defined]
        return render(request, "runs/list_body.html", rows)
    context = {
        **rows,
        "narrow": narrow,
        "choices": selectors.filter_choices(request.user),
        "states": RunState.choices,
    }
    return render(request, "runs/list.html", context)


@require_safe
@requires("runs.view")
def run_page(request: HttpRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run.objects.select_related("launched_by", "team"), pk=run_id)
    context = {
        "run": run,
        "sections": {section.name: section for section in live.sections(request, run)},
        "settings": settings_of(run),
        "prompts": prompts_of(run),
    }
    return render(request, "runs/run.html", context)


@require_safe
@requires("runs.view")
def run_live(request: HttpRequest, run_id: int) -> HttpResponse:
    """What changed since the cursor ``since``; 204 when nothing did.

    The page names the sections it has by their digests, and gets the others. The answer holds the
    polling element of the next round, which polls no more once the run has ended.
    """
    run = get_object_or_404(Run, pk=run_id)
    if not run.has_ended and request.GET.get("since") == str(run.change):
        return HttpResponse(status=204)
    known = live.known_digests(request.GET.get("have", ""))
    context = {"run": run, "sections": live.sections(request, run, known=known)}
    response = render(request, "runs/live/update.html", context)
    patch_cache_control(response, no_store=True)
    return response


@require_safe
@requires("runs.view")
def run_payoffs(request: HttpRequest, run_id: int) -> StreamingHttpResponse:
    """Every played pair of the run as CSV, one line per pair, row against column."""
    run = get_object_or_404(Run, pk=run_id)
    response = StreamingHttpResponse(_csv_lines(run), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="run-{run.pk}-payoffs.csv"'
    return response


CSV_HEAD = (
    *("row", "row_name", "column", "column_name", "mean", "low", "high"),
    *("episodes", "seed", "sandbox_level", "match_key"),
)


def _csv_lines(run: Run) -> Iterator[Any]:
    writer = csv.writer(Echo())
    names = dict(run.policies.values_list("index", "name"))
    yield writer.writerow(CSV_HEAD)
    cells = run.cells.values_list(
        *("row", "column", "mean", "low", "high"),
        *("match__episodes", "match__seed", "match__sandbox_level", "match__key"),
    )
    for row, column, *rest in cells.iterator():
        labels = [row, safe_cell(names.get(row)), column, safe_cell(names.get(column))]
        yield writer.writerow(labels + rest)
