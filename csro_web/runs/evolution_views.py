"""The page of an evolution: one iteration of a run whose oracle is AlphaEvolve, live."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from csro_web.accounts.permissions import requires
from csro_web.runs import evolution, live
from csro_web.runs.models import Iteration, Run


@require_safe
@requires("candidates.view")
def run_evolution(request: HttpRequest, run_id: int) -> HttpResponse:
    """The iteration that ``?iteration=`` names, else the newest."""
    run = _run(run_id)
    iterations = list(run.iterations.all())
    iteration = _chosen(iterations, request.GET.get("iteration", ""))
    found = _sections(request, run, iteration)
    context = {
        "run": run,
        "iteration": iteration,
        "iterations": iterations,
        "sections": {section.name: section for section in found},
    }
    return render(request, "runs/evolution/page.html", context)


@require_safe
@requires("candidates.view")
def run_evolution_live(request: HttpRequest, run_id: int) -> HttpResponse:
    """What changed since the cursor ``since``; 204 when nothing did (see ``views.run_live``)."""
    run = _run(run_id)
    if not run.has_ended and request.GET.get("since") == str(run.change):
        return HttpResponse(status=204)
    iteration = _chosen(list(run.iterations.all()), request.GET.get("iteration", ""))
    known = live.known_digests(request.GET.get("have", ""))
    context = {
        "run": run,
        "iteration": iteration,
        "sections": _sections(request, run, iteration, known),
    }
    response = render(request, "runs/evolution/update.html", context)
    patch_cache_control(response, no_store=True)
    return response


def _run(run_id: int) -> Run:
    run = get_object_or_404(Run, pk=run_id)
    if not evolution.has_evolution(run):
        raise Http404("this run's oracle is no evolution")
    return run


def _chosen(iterations: list[Iteration], asked: str) -> Iteration | None:
    """None before the run's first iteration.

    Raises:
        Http404: when the run has no iteration of that number.
    """
    if not asked:
        return iterations[-1] if iterations else None
    for iteration in iterations:
        if str(iteration.index) == asked:
            return iteration
    raise Http404("the run has no such iteration")


def _sections(
    request: HttpRequest,
    run: Run,
    iteration: Iteration | None,
    known: dict[str, str] | None = None,
) -> list[live.Section]:
    if iteration is None:
        return []
    context = evolution.context(run, iteration)
    return live.rendered(request, "runs/evolution", evolution.SECTIONS, context, known=known)
