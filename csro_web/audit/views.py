"""The page of the audit trail, its check and its export."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from csro_web.accounts.ownership import sees_everything
from csro_web.accounts.permissions import requires
from csro_web.audit import selectors, services, showing
from csro_web.audit.actions import MEANING
from csro_web.audit.jobs import VERIFY
from csro_web.jobs.models import Job
from csro_web.jobs.services import enqueue


@require_safe
@requires("audit.view")
def trail(request: HttpRequest) -> HttpResponse:
    narrow = selectors.TrailFilter.from_query(request.GET)
    events = narrow.apply(selectors.events_for(request.user))
    page = selectors.page(events, request.GET)
    context = {
        "narrow": narrow,
        "page": page,
        "rows": showing.shown(page.rows),
        "actions": sorted(MEANING),
        "application": selectors.APPLICATION,
        "verified": next(showing.shown(filter(None, [selectors.last_verification()])), None),
        "left": selectors.heads_left(),
        "missing_guards": services.missing_guards(),
        "job": Job.objects.filter(kind=VERIFY, asked_by=request.user).order_by("-pk").first(),
        "sees_all": sees_everything(request.user),
    }
    return render(request, "audit/trail.html", context)


@require_POST
@requires("audit.view")
def verify(request: HttpRequest) -> HttpResponse:
    """Have a worker check the whole trail; the page shows what it found."""
    enqueue(VERIFY, inputs={}, asked_by=request.user)
    return redirect("audit")


@require_POST
@requires("audit.view")
def export(request: HttpRequest) -> HttpResponseBase:
    """The rows that the filter leaves, as JSON Lines. A POST, for it adds to the trail."""
    narrow = selectors.TrailFilter.from_query(request.POST)
    try:
        lines = services.export(narrow, actor=request.user)
    except ImproperlyConfigured as error:
        messages.error(request, f"Not exported: {error}.")
        return redirect("audit")
    response = StreamingHttpResponse(lines, content_type="application/x-ndjson")
    response["Content-Disposition"] = 'attachment; filename="audit-trail.jsonl"'
    return response
