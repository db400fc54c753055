"""Plain pages for what went wrong: what it is, and what the reader can do."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.shortcuts import render
from django.template.loader import get_template

from csro_web.accounts.permissions import LacksRight, people_who_may, public
from csro_web.accounts.sign_in import reopened_form, written_text


@public
def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "errors/400.html", status=400)


@public
def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    context: dict[str, object] = {}
    if isinstance(exception, LacksRight):
        right = exception.right
        context = {
            "right": right.words,
            "roles": sorted(role.label for role in right.roles),
            "people": people_who_may(right, request.user),
        }
    return render(request, "errors/403.html", context, status=403)


@public
def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Also for who was taken out of a team while they wrote: they keep their own words."""
    return render(request, "errors/404.html", {"written": written_text(request)}, status=404)


@public
def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form from a page of an earlier session: what was typed can be opened again."""
    context = {"form_url": reopened_form(request), "written": written_text(request)}
    return render(request, "errors/csrf.html", context, status=403)


@public
def server_error(request: HttpRequest) -> HttpResponse:
    """Needs neither database nor context processors, which may be what failed."""
    return HttpResponseServerError(get_template("errors/500.html").render())
