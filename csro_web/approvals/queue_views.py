"""The page of the review queue."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from csro_web.accounts.ownership import visible
from csro_web.accounts.permissions import requires
from csro_web.approvals import queue
from csro_web.approvals.states import State
from csro_web.runs.models import Run
from csro_web.runs.selectors import games_of


@require_safe
@requires("reviews.view")
def review_queue(request: HttpRequest) -> HttpResponse:
    narrow = queue.QueueFilter.from_query(request.GET)
    page, rows = queue.one_page(narrow, request.user, request.GET.get("page"))
    context = {
        "narrow": narrow,
        "page": page,
        "rows": rows,
        "left_out": queue.left_out(narrow, request.user),
        "games": games_of(request.user),
        "states": State.choices,
        "run": visible(Run.objects.filter(pk=narrow.run), request.user, path="").first()
        if narrow.run is not None
        else None,
    }
    return render(request, "reviews/queue.html", context)
