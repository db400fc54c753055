"""Launching a run, and pausing, resuming and cancelling it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from csro_web.accounts.ownership import Somebody, visible
from csro_web.accounts.permissions import requires
from csro_web.pages.keys import row_number
from csro_web.runs import estimate, services, sets, speed
from csro_web.runs.forms import LaunchForm, first_values, form_values
from csro_web.runs.models import Run
from csro_web.runs.prepared import PreparedSet
from oracles.config import ConfigError


@require_http_methods(["GET", "HEAD", "POST"])
@requires("runs.launch")
def run_new(request: HttpRequest) -> HttpResponse:
    """The form. ``?from=RUN`` fills it in as that run was launched; any other field by its name,
    so that no input is lost."""
    if request.method != "POST":
        given = request.GET.dict()
        first = {**first_values(), **_values_of(given.pop("from", ""), request.user), **given}
        form = LaunchForm(initial=first, person=request.user)
        return _show(request, form, status=200)
    form = LaunchForm(request.POST, person=request.user)
    if not form.is_valid():
        return _show(request, form, status=422)
    try:
        return _launch(request, form.cleaned_data)
    except ConfigError as error:
        form.add_error(None, str(error))
        return _show(request, form, status=422)


def _launch(request: HttpRequest, chosen: Mapping[str, Any]) -> HttpResponse:
    """The run, or the whole set of runs; then its page.

    Raises:
        ConfigError: when it cannot begin; then nothing is launched.
    """
    who = {"launched_by": request.user, "team": chosen["team"], "name": chosen["name"]}
    if "planned" in chosen:
        which = PreparedSet(chosen["set"])
        made = sets.create_set(which, chosen["planned"], **who)
        return redirect("set", made.pk)
    run = services.create_run(config=chosen["config"], **who)
    return redirect("run", run.pk)


def _values_of(run_id: str, user: Somebody) -> dict[str, Any]:
    """How the run was launched; nothing for an empty ``run_id``.

    Raises:
        Http404: when there is no such run for ``user``.
    """
    if not run_id:
        return {}
    number = row_number(run_id)
    if number is None:
        raise Http404
    run = get_object_or_404(visible(Run.objects.all(), user, path=""), pk=number)
    return {**form_values(run.config), "team": run.team_id}


def _show(request: HttpRequest, form: LaunchForm, *, status: int) -> HttpResponse:
    context = {"form": form, "size": _size_of(form)}
    return render(request, "runs/new.html", context, status=status)


@require_POST
@requires("runs.launch")
def run_estimate(request: HttpRequest) -> HttpResponse:
    """The size of the run that the form describes at this moment; nothing is launched."""
    form = LaunchForm(request.POST, person=request.user)
    return render(request, "runs/estimate.html", {"size": _size_of(form)})


def _size_of(form: LaunchForm) -> estimate.Estimate | None:
    """None while the choices do not fit together."""
    if not form.is_bound:
        values = {bound.name: bound.value() for bound in form if bound.value() is not None}
        form = LaunchForm(values, person=form.person)
    if not form.is_valid():
        return None
    planned = form.cleaned_data.get("planned")
    configs = [one.config for one in planned] if planned else [form.cleaned_data["config"]]
    return estimate.of_runs(configs, speed.decisions_per_second(configs[0].game))


def _steer(request: HttpRequest, run_id: int, move: Callable[..., Run], told: str) -> HttpResponse:
    run = get_object_or_404(Run, pk=run_id)
    try:
        move(run, actor=request.user)
    except services.RunStateError as error:
        messages.error(request, f"{str(error)[:1].upper()}{str(error)[1:]}.")
    else:
        messages.success(request, told)
    return redirect("run", run_id)


@require_POST
@requires("runs.steer")
def run_pause(request: HttpRequest, run_id: int) -> HttpResponse:
    told = "Paused. A step that is in work is finished and saved first."
    return _steer(request, run_id, services.pause_run, told)


@require_POST
@requires("runs.steer")
def run_resume(request: HttpRequest, run_id: int) -> HttpResponse:
    return _steer(request, run_id, services.resume_run, "It goes on where it was.")


@require_POST
@requires("runs.steer")
def run_finish(request: HttpRequest, run_id: int) -> HttpResponse:
    told = "Nothing more is proposed. What was found until now is evaluated."
    return _steer(request, run_id, services.finish_run, told)


@require_POST
@requires("runs.steer")
def run_cancel(request: HttpRequest, run_id: int) -> HttpResponse:
    told = "Cancelled. What was found until now stays."
    return _steer(request, run_id, services.cancel_run, told)
