"""What the oracle tried: every candidate, also what failed, and why."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from csro_web.accounts.permissions import requires
from csro_web.answers.selectors import written_by
from csro_web.calls.selectors import calls_for
from csro_web.policies import code, page_parts, selectors
from csro_web.policies.models import Candidate
from csro_web.policies.views import code_lines
from csro_web.runs import trainings
from csro_web.runs.catalogue import facts_of
from csro_web.runs.models import Run


@require_safe
@requires("candidates.view")
def candidate_list(request: HttpRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run, pk=run_id)
    iteration = request.GET.get("iteration", "")
    only_trouble = request.GET.get("only") == "trouble"
    context = {
        "run": run,
        "facts": facts_of(run),
        "page": selectors.list_candidates(
            run,
            iteration=iteration,
            only_trouble=only_trouble,
            page_number=request.GET.get("page"),
        ),
        "iteration": iteration,
        "only_trouble": only_trouble,
        "iterations": list(run.iterations.values_list("index", flat=True)),
    }
    return render(request, "policies/candidates.html", context)


@require_safe
@requires("candidates.view")
def candidate_page(request: HttpRequest, candidate_id: int) -> HttpResponse:
    candidate = get_object_or_404(
        Candidate.objects.select_related("run", "parent"), pk=candidate_id
    )
    context = {
        "candidate": candidate,
        "run": candidate.run,
        "facts": facts_of(candidate.run),
        "lines": code_lines(candidate.source),
        "fold": code.data_lines(candidate.source),
        "chain": selectors.chain_to(candidate),
        **trainings.of_candidate(candidate),
        "children": list(candidate.children.defer("messages", "completion", "source")[:50]),
        "policies": list(candidate.policies.defer("source")),
        "written_by": written_by(candidate),
        "inspirations": selectors.inspirations_of(candidate),
        "behaviour": selectors.behaviour_of(candidate),
        "calls": list(calls_for(candidate)[:50]),
        "previous": _neighbour(candidate, -1),
        "next": _neighbour(candidate, 1),
        **page_parts.of_candidate(page_parts.CandidatePage(request, candidate)),
    }
    return render(request, "policies/candidate.html", context)


def _neighbour(candidate: Candidate, step: int) -> Candidate | None:
    """The attempt before or after it in the same iteration."""
    return (
        Candidate.objects.filter(
            run_id=candidate.run_id,
            iteration=candidate.iteration,
            attempt=candidate.attempt + step,
        ).only("pk", "attempt", "run_id")
        if candidate.attempt + step >= 0
        else Candidate.objects.none()
    ).first()
