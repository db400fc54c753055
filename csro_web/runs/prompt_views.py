"""The page that shows the texts of a run's prompts beside the built-in ones."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from csro_web.accounts.permissions import requires
from csro_web.runs.models import Run
from csro_web.runs.prompt_texts import prompts_of, shown_texts
from oracles.config import OracleName, WriterName


@require_safe
@requires("runs.view")
def run_prompts(request: HttpRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run, pk=run_id)
    context = {
        "run": run,
        "prompts": prompts_of(run),
        "groups": shown_texts(run),
        "reads_prompts": run.writer in (WriterName.LLM, WriterName.MANUAL)
        or run.oracle == OracleName.LLM_AGENT,
    }
    return render(request, "runs/prompts.html", context)
