"""A person's inbox, its filters and saved views, and whether letters are sent."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from csro_web.accounts.models import User
from csro_web.accounts.permissions import requires
from csro_web.pages.keys import row_number
from csro_web.reviews import inbox
from csro_web.reviews.errors import ReviewError
from csro_web.reviews.models import InboxKind, SavedView
from csro_web.runs.models import Run


@require_safe
@requires("reviews.view")
def inbox_page(request: HttpRequest) -> HttpResponse:
    filters = inbox.Filters.read(request.GET.dict())
    page = inbox.list_items(request.user, filters, request.GET.get("page"))
    mine = inbox.items_of(request.user)
    context = {
        "page": page,
        "filters": filters,
        "kinds": InboxKind.choices,
        "shows": inbox.SHOWS,
        "runs": Run.objects.filter(pk__in=mine.order_by().values("run")).only("pk", "name")[:200],
        "people": User.objects.filter(pk__in=mine.order_by().values("actor"))[:200],
        "views": SavedView.objects.filter(person=request.user),
        "unread": inbox.unread_count(request.user),
        "newest": mine.order_by("-pk").values_list("pk", flat=True).first() or 0,
        "letters": inbox.wants_letters(request.user),
    }
    return render(request, "reviews/inbox.html", context)


@require_POST
@requires("reviews.view")
def inbox_mark(request: HttpRequest) -> HttpResponse:
    """Marks one item read or unread, or all of them read."""
    if "all" in request.POST:
        newest = row_number(request.POST.get("newest", "")) or 0
        count = inbox.mark_all_read(request.user, newest=newest)
        messages.success(request, f"{count} marked as read.")
    else:
        numbers = [row_number(text) for text in request.POST.getlist("item")]
        wanted = [number for number in numbers if number is not None]
        inbox.mark(request.user, wanted, read="unread" not in request.POST)
    return _back(request)


@require_POST
@requires("reviews.view")
def inbox_views(request: HttpRequest) -> HttpResponse:
    """Keeps the filters under a name, or forgets a name."""
    if (view := row_number(request.POST.get("remove", ""))) is not None:
        inbox.remove_view(request.user, view)
        return _back(request)
    try:
        inbox.save_view(
            request.user,
            name=request.POST.get("name", ""),
            query=inbox.Filters.read(request.POST.dict()).query,
        )
    except ReviewError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The view is saved.")
    return _back(request)


@require_POST
@requires("reviews.view")
def inbox_letters(request: HttpRequest) -> HttpResponse:
    wanted = request.POST.get("letters") == "on"
    inbox.choose_letters(request.user, wanted=wanted)
    messages.success(request, f"Letters are {'on' if wanted else 'off'}.")
    return _back(request)


def _back(request: HttpRequest) -> HttpResponse:
    filters = inbox.Filters.read(request.POST.dict())
    return redirect(f"{reverse('inbox')}?{filters.query}")
