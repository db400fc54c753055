"""The page of a trial, live while it plays."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_POST, require_safe

from csro_web.accounts.permissions import requires
from csro_web.changes import trials
from csro_web.changes.edit_models import Trial
from csro_web.changes.edit_page import differences
from csro_web.changes.trial_report import report_on
from csro_web.jobs import services as jobs
from csro_web.jobs.views import may_cancel
from csro_web.jobs.waiting import cursor
from csro_web.pages.keys import row_number


@require_safe
@requires("changes.view")
def trial_page(request: HttpRequest, trial_id: int) -> HttpResponse:
    trial = _trial(trial_id)
    context = {
        **shown(trial),
        "run": trial.run,
        "policy": trial.policy,
        "most_episodes": trials.MOST_EPISODES,
        "more_episodes": min(trial.episodes * 4, trials.MOST_EPISODES),
        **differences(trial.policy.source, trial.source),
    }
    return render(request, "changes/trial.html", context)


@require_safe
@requires("changes.view")
def trial_live(request: HttpRequest, trial_id: int) -> HttpResponse:
    """What is known by now. The fragment of a trial that is over asks for nothing more."""
    trial = _trial(trial_id)
    if not trial.job.is_over and request.GET.get("since") == cursor(trial.job):
        return HttpResponse(status=204)
    response = render(request, "changes/trial_live.html", shown(trial))
    patch_cache_control(response, no_store=True)
    return response


@require_POST
@requires("changes.try")
def trial_repeat(request: HttpRequest, trial_id: int) -> HttpResponse:
    """The same edit with another number of episodes, on fresh seeds."""
    trial = _trial(trial_id)
    episodes = row_number(request.POST.get("episodes", "")) or trial.episodes
    try:
        again = trials.ask(
            policy=trial.policy, person=request.user, text=trial.source, episodes=episodes
        )
    except trials.TrialRefused as error:
        messages.error(request, str(error))
        return redirect("trial", trial.pk)
    return redirect("trial", again.pk)


@require_POST
@requires("changes.try")
def trial_cancel(request: HttpRequest, trial_id: int) -> HttpResponse:
    """Whoever asked for it may call it off, and administrators."""
    trial = _trial(trial_id)
    if not may_cancel(request.user, trial.job):
        raise PermissionDenied("only the person who asked for it may call it off")
    jobs.cancel(trial.job, actor=request.user)
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "changes/trial_live.html", shown(trial))
    return redirect("trial", trial.pk)


def shown(trial: Trial) -> dict[str, Any]:
    """For ``changes/trial_live.html``. 1 query beside the trial's own."""
    return {"trial": trial, "job": trial.job, "report": report_on(trial)}


def _trial(trial_id: int) -> Trial:
    return get_object_or_404(
        Trial.objects.select_related("run", "policy", "person", "job"), pk=trial_id
    )
