"""The page of what waits for approvers."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from csro_web.accounts.permissions import requires
from csro_web.approvals.waiting import SHOWS, Narrow, list_waiting
from csro_web.runs.selectors import games_of


@require_safe
@requires("approvals.view")
def waiting(request: HttpRequest) -> HttpResponse:
    narrow = Narrow.from_query(request.GET)
    page, rows = list_waiting(narrow, request.user, request.GET.get("page"))
    games = games_of(request.user)
    context = {"page": page, "rows": rows, "narrow": narrow, "shows": SHOWS, "games": games}
    return render(request, "approvals/list.html", context)
