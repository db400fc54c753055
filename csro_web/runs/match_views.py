"""The page of a match: who played, what came out, and what went wrong."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from csro_web.accounts.permissions import requires
from csro_web.policies.models import Policy
from csro_web.runs.catalogue import game_facts
from csro_web.runs.charts import histogram
from csro_web.runs.models import Match

POLICIES_SHOWN = 5
INTERVAL = 1.96


@require_safe
@requires("matches.view")
def match_page(request: HttpRequest, match_id: int) -> HttpResponse:
    match = get_object_or_404(Match, pk=match_id)
    payoffs = match.result.get("payoffs", [])
    low, high = interval_of(match)
    context = {
        "match": match,
        "facts": game_facts(match.game),
        "low": low,
        "high": high,
        "histogram": histogram.draw(payoffs),
        "sides": [side(match, "a"), side(match, "b")],
        "cells": list(match.cells.select_related("run")[:POLICIES_SHOWN]),
        "result": {
            key: match.result.get(key)
            for key in ("decisions", "seconds", "cpu_seconds", "reproducible")
        },
    }
    return render(request, "runs/match.html", context)


def interval_of(match: Match) -> tuple[float | None, float | None]:
    """95 % interval of the mean by its standard error; unknown with a single episode."""
    cell = match.cells.first()
    if cell is not None and cell.low is not None and cell.high is not None:
        return cell.low, cell.high
    if match.variance is None:
        return None, None
    half = INTERVAL * (match.variance / match.episodes) ** 0.5
    return match.mean - half, match.mean + half


def side(match: Match, name: str) -> dict[str, Any]:
    """A player of the match: the policies that have this source, and its faults."""
    key: str = getattr(match, name)
    kind, _, identity = key.partition(":")
    report = match.result.get(name) or {}
    policies = (
        list(Policy.objects.filter(sha256=identity).select_related("run")[:POLICIES_SHOWN])
        if kind == "code"
        else []
    )
    return {
        "letter": name.upper(),
        "kind": kind,
        "identity": identity,
        "policies": policies,
        "faults": getattr(match, f"faults_{name}"),
        "counts": report.get("counts", {}),
        "tracebacks": report.get("tracebacks", []),
        "output": report.get("output", ""),
    }
