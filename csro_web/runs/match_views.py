"""The page of a match: who played, what came out, and what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from csro_web.accounts.ownership import Somebody, visible
from csro_web.accounts.permissions import requires
from csro_web.policies.models import Policy
from csro_web.runs.catalogue import game_facts
from csro_web.runs.charts import histogram
from csro_web.runs.models import Cell, Match
from games.match import ENGINE_VERSION
from games.metrics import unseen_share
from games.sandbox.text import own_frames

POLICIES_SHOWN = 5


@require_safe
@requires("matches.view")
def match_page(request: HttpRequest, match_id: int) -> HttpResponse:
    """A match that is a cell of the payoffs of some run that the person may see.

    Any other one (a proposal's score, a held-out evaluation) has no page: its numbers would be seen
    before their run has ended, and the look would not be counted (csro_web.runs.heldout).
    """
    match = get_object_or_404(Match, pk=match_id)
    cells = list(visible(match.cells.select_related("run"), request.user)[:POLICIES_SHOWN])
    if not cells:
        raise Http404("this match is no cell of a run's payoffs")
    payoffs = match.result.get("payoffs", [])
    context = {
        "match": match,
        "facts": game_facts(match.game),
        "low": cells[0].low,
        "high": cells[0].high,
        "reading": reading_of(payoffs, cells[0]),
        "engine_version": ENGINE_VERSION,
        "histogram": histogram.draw(payoffs),
        "sides": [side(match, name, request.user) for name in "ab"],
        "cells": cells,
        "result": {
            key: match.result.get(key)
            for key in ("decisions", "seconds", "cpu_seconds", "reproducible")
        },
    }
    return render(request, "runs/match.html", context)


def reading_of(payoffs: Sequence[float], cell: Cell) -> str:
    """What equal episodes say, in words; nothing where they differ."""
    count = len(payoffs)
    if count < 2 or len(set(payoffs)) > 1:
        return ""
    if cell.low == cell.high:
        return (
            f"All {count} episodes paid the same, and the run took the match for one in which "
            "nothing is drawn at random."
        )
    return (
        f"All {count} episodes paid the same, but something in the match may be drawn at random: "
        f"up to {100 * unseen_share(count):.1f} % of all episodes may pay something else, anything "
        "that the game allows."
    )


def side(match: Match, name: str, user: Somebody) -> dict[str, Any]:
    """A player of the match: the policies that have this source, and its faults."""
    key: str = getattr(match, name)
    kind, _, identity = key.partition(":")
    report = match.result.get(name) or {}
    same = visible(Policy.objects.filter(sha256=identity).select_related("run"), user)
    policies = list(same[:POLICIES_SHOWN]) if kind == "code" else []
    return {
        "letter": name.upper(),
        "kind": kind,
        "identity": identity,
        "policies": policies,
        "faults": getattr(match, f"faults_{name}"),
        "counts": report.get("counts", {}),
        "tracebacks": [own_frames(text) for text in report.get("tracebacks", [])],
        "output": report.get("output", ""),
    }
