"""How far a job is, for the pages that wait for one."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import patch_cache_control
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from csro_web.accounts.models import Role, User
from csro_web.accounts.permissions import requires
from csro_web.jobs import services
from csro_web.jobs.models import Job
from csro_web.jobs.waiting import cursor


@require_safe
@requires("runs.view")
def job_live(request: HttpRequest, job_id: int) -> HttpResponse:
    """The fragment ``jobs/status.html``; 204 while nothing changed since the cursor ``since``.

    When the job is over the page around it is loaded anew, once, to show what was found.
    """
    job = get_object_or_404(Job, pk=job_id)
    if not job.is_over and request.GET.get("since") == cursor(job):
        return HttpResponse(status=204)
    page = request.htmx.current_url_abs_path if request.htmx else None  # type: ignore[attr-defined]
    response = render(request, "jobs/status.html", {"job": job, "back": page})
    if job.is_over:
        response["HX-Refresh"] = "true"
    patch_cache_control(response, no_store=True)
    return response


@require_POST
@requires("runs.view")
def job_cancel(request: HttpRequest, job_id: int) -> HttpResponse:
    """Call a job off: whoever asked for it may, and administrators."""
    job = get_object_or_404(Job, pk=job_id)
    if not may_cancel(request.user, job):
        raise PermissionDenied("only the person who asked for it may call it off")
    if services.cancel(job, actor=request.user):
        messages.info(request, "Called off. Nothing of it is kept.")
    else:
        messages.info(request, f"It is over already: {job.get_state_display().lower()}.")
    back = request.POST.get("next", "")
    safe = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return redirect(back if safe else "runs")


def may_cancel(user: User, job: Job) -> bool:
    return job.asked_by_id == user.pk or user.role == Role.ADMINISTRATOR
