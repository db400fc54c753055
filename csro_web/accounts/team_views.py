"""The pages of teams, and moving a run from one to another."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from csro_web.accounts import teams
from csro_web.accounts.forms import RunTeamForm, TeamForm, TeamMembersForm
from csro_web.accounts.models import Team
from csro_web.accounts.permissions import requires
from csro_web.runs.models import Run

MOST_TEAMS = 500


@require_http_methods(["GET", "HEAD", "POST"])
@requires("people.manage")
def team_list(request: HttpRequest) -> HttpResponse:
    form = TeamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        team = teams.add(name=form.cleaned_data["name"], actor=request.user)
        messages.success(request, "Made. Now say who is in it.")
        return redirect("team", team.pk)
    found = Team.objects.annotate(
        people=Count("members", distinct=True), count=Count("runs", distinct=True)
    )
    context = {"teams": found[:MOST_TEAMS], "form": form}
    return render(request, "accounts/teams.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@requires("people.manage")
def team_page(request: HttpRequest, team_id: int) -> HttpResponse:
    team = get_object_or_404(Team, pk=team_id)
    asked = request.POST if request.method == "POST" else None
    form = TeamMembersForm(asked, instance=Team.objects.get(pk=team_id))
    if form.is_valid():
        teams.change(
            team,
            name=form.cleaned_data["name"],
            join=form.cleaned_data["join"],
            leave=form.cleaned_data["leave"],
            actor=request.user,
        )
        messages.success(request, "Saved.")
        return redirect("team", team.pk)
    context = {"team": team, "form": form, "runs": team.runs.only("pk", "name")[:20]}
    return render(request, "accounts/team.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@requires("people.manage")
def run_team(request: HttpRequest, run_id: int) -> HttpResponse:
    run = get_object_or_404(Run.objects.select_related("team"), pk=run_id)
    asked = request.POST if request.method == "POST" else None
    form = RunTeamForm(asked, initial={"team": run.team_id})
    if form.is_valid():
        teams.move_run(run, form.cleaned_data["team"], actor=request.user)
        messages.success(request, f"From now on {run.team or 'everybody'} sees it.")
        return redirect("run", run.pk)
    status = 422 if form.errors else 200
    return render(request, "accounts/run_team.html", {"run": run, "form": form}, status=status)
