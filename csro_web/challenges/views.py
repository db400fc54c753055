"""Challenging a policy or a run's final mixture from its page."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from csro_web.accounts.permissions import requires
from csro_web.challenges import services, targets
from csro_web.challenges.forms import ChallengeForm
from csro_web.policies.models import Policy
from csro_web.runs.forms import first_values
from csro_web.runs.models import Run
from oracles.config import ConfigError


@require_http_methods(["GET", "HEAD", "POST"])
@requires("runs.launch")
def challenge_policy(request: HttpRequest, policy_id: int) -> HttpResponse:
    policy = get_object_or_404(Policy.objects.select_related("run"), pk=policy_id)
    return _challenge(request, targets.of_policy(policy))


@require_http_methods(["GET", "HEAD", "POST"])
@requires("runs.launch")
def challenge_mixture(request: HttpRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run, pk=run_id)
    try:
        target = targets.of_run(run)
    except targets.NoTarget as error:
        messages.error(request, f"{str(error)[:1].upper()}{str(error)[1:]}.")
        return redirect("run", run_id)
    return _challenge(request, target)


def _challenge(request: HttpRequest, target: targets.Target) -> HttpResponse:
    if request.method != "POST":
        given = request.GET.dict()
        first = {**ChallengeForm.opening(target, first_values()), **given}
        return _show(
            request, target, ChallengeForm(target, initial=first, person=request.user), status=200
        )
    form = ChallengeForm(target, request.POST, person=request.user)
    if not form.is_valid():
        return _show(request, target, form, status=422)
    try:
        run = services.launch(target, form.cleaned_data["config"], launched_by=request.user)
    except ConfigError as error:
        form.add_error(None, str(error))
        return _show(request, target, form, status=422)
    return redirect("run", run.pk)


def _show(
    request: HttpRequest, target: targets.Target, form: ChallengeForm, *, status: int
) -> HttpResponse:
    context = {"target": target, "form": form}
    return render(request, "challenges/new.html", context, status=status)
