"""The page of a set of runs: its runs live, and their scores by condition."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from csro_web.accounts.ownership import Somebody, visible, visible_runs
from csro_web.accounts.permissions import requires
from csro_web.runs import sets
from csro_web.runs.catalogue import game_facts
from csro_web.runs.charts import conditions
from csro_web.runs.heldout import SUBJECTS
from csro_web.runs.models import ENDED, RunSet
from csro_web.runs.prepared import IN_WORDS

SETS_PER_PAGE = 25


@require_safe
@requires("runs.view")
def set_list(request: HttpRequest) -> HttpResponse:
    shown = Q(runs__in=visible_runs(request.user).values("pk"))
    found = (
        visible(RunSet.objects.select_related("created_by"), request.user, path="runs")
        .annotate(
            count=Count("runs", filter=shown),
            going_on=Count("runs", filter=shown & ~Q(runs__state__in=ENDED)),
        )
        .order_by("-created_at", "-pk")
    )
    page = Paginator(found, SETS_PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "runs/sets.html", {"page": page, "questions": IN_WORDS})


@require_safe
@requires("runs.view")
def set_page(request: HttpRequest, set_id: int) -> HttpResponse:
    run_set = get_object_or_404(RunSet.objects.select_related("created_by"), pk=set_id)
    context = _context(run_set, request.user)
    sets.count_looks(context["runs"])
    return render(request, "runs/set.html", context)


@require_safe
@requires("runs.view")
def set_live(request: HttpRequest, set_id: int) -> HttpResponse:
    """The part of the page that changes; 204 when nothing did since ``since``."""
    run_set = get_object_or_404(RunSet, pk=set_id)
    if sets.report(run_set, request.user).change == request.GET.get("since"):
        return HttpResponse(status=204)
    context = _context(run_set, request.user)
    if context["report"].ended:
        sets.count_looks(context["runs"])
    response = render(request, "runs/set_body.html", context)
    patch_cache_control(response, no_store=True)
    return response


def _context(run_set: RunSet, user: Somebody) -> dict[str, Any]:
    report = sets.report(run_set, user)
    runs = [run for one in report.conditions for run in one.runs]
    levels = sorted({run.sandbox_level for run in runs if run.sandbox_level})
    return {
        "set": run_set,
        "question": IN_WORDS.get(run_set.prepared, run_set.prepared),
        "report": report,
        "runs": runs,
        "facts": game_facts(runs[0].game) if runs else None,
        "levels": levels,
        "subjects": [_subject(report, name, title) for name, title in SUBJECTS.items()],
    }


def _subject(report: sets.SetReport, name: str, title: str) -> dict[str, Any]:
    """A subject's scores by condition, as rows and as a chart of AggScore."""
    rows = [
        (one, next((score for score in one.scores if score.subject == name), None))
        for one in report.conditions
    ]
    known = [(one.name, score.agg_score) for one, score in rows if score is not None]
    return {"name": name, "title": title, "rows": rows, "chart": conditions.draw(known)}
