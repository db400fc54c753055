"""The page of results: published figures beside those measured here."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from csro_web.accounts.ownership import visible_runs
from csro_web.accounts.permissions import requires
from csro_web.runs.catalogue import game_choices, game_facts
from csro_web.solving import measured, measured_report
from csro_web.solving.measured import Measured


@require_safe
@requires("runs.view")
def results_page(request: HttpRequest) -> HttpResponse:
    games = dict(game_choices())
    asked = request.GET.get("game", "")
    game = asked if asked in games else next(iter(games))
    methods = [
        {"method": method, "groups": [_shown(group) for group in method.measured]}
        for method in measured.methods(game, among=visible_runs(request.user))
    ]
    context = {
        "games": games.items(),
        "game": game,
        "facts": game_facts(game),
        "methods": methods,
        "others": measured.without_counterpart(game),
    }
    return render(request, "runs/results.html", context)


def _shown(group: Measured) -> dict[str, Any]:
    scores = [
        (measured_report.in_words(score.subject).capitalize(), score, measured_report.over(score))
        for score in group.scores
        if score.subject.partition(",")[0] in measured_report.SHOWN
    ]
    return {
        "settings": group.settings,
        "runs": sorted(group.runs, key=lambda run: (run.seed, run.pk)),
        "scores": scores,
        "calls": measured_report.calls(group),
        "failed": measured_report.share(group),
        "level": group.sandbox_level,
    }
