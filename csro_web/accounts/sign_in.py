"""What happens to a request of somebody who is not signed in."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.urls import Resolver404, resolve, reverse

HTMX_STOP_POLLING = 286
"""The status with which htmx ends a polling element."""

LONGEST_ADDRESS = 2_200
"""Characters. Web servers refuse 4,000 and more; on the sign-in page's address it stands inside
another one, where it is longer."""
FORMS_THAT_REOPEN = frozenset({"run-new", "approval-decide"})
"""Forms whose page fills itself in from the query string, so that a lost session loses no input."""

PAGES_OF_FORMS = {
    "policy-edit-try": "policy-edit",
    "policy-edit-commit": "policy-edit",
    "policy-edit-discard": "policy-edit",
    "policy-edit": "policy-edit",
}
"""Forms that are sent elsewhere than their page; that page and the browser keep what was typed."""


FORMS_WITH_TEXT = {
    "policy-comment": "policy",
    "candidate-comment": "candidate",
    "thread-reply": "thread",
    "policy-review": "policy-review",
    "candidate-review": "candidate-review",
}
"""Forms with a text ``body`` of any length, and the page that each stands on (with the same URL
arguments). Their text is shown again where it could not be taken; a script of the page, which keeps
it in the browser until the server has it, puts it back."""


@dataclass(frozen=True)
class WrittenText:
    """What somebody sent and the server could not take, and the page that it belongs to."""

    text: str
    page: str


def ask_to_sign_in(request: HttpRequest) -> HttpResponseBase:
    """Send a stranger to the sign-in page and back again; a live page is told, not replaced."""
    if getattr(request, "htmx", False):
        back = request.htmx.current_url_abs_path or reverse("runs")  # type: ignore[attr-defined]
        context = {"sign_in_url": f"{reverse('sign-in')}?{urlencode({'next': back})}"}
        return render(request, "pages/signed_out_notice.html", context, status=HTMX_STOP_POLLING)
    written = written_text(request)
    if written is not None:
        sign_in_url = f"{reverse('sign-in')}?{urlencode({'next': written.page})}"
        context = {"written": written, "sign_in_url": sign_in_url}
        return render(request, "accounts/text_kept.html", context, status=401)
    return redirect_to_login(where_to_return(request), reverse("sign-in"))


def written_text(request: HttpRequest) -> WrittenText | None:
    """The text of this POST, if it is of one of :data:`FORMS_WITH_TEXT` and not empty."""
    text = request.POST.get("body", "") if request.method == "POST" else ""
    if not text.strip():
        return None
    try:
        match = resolve(request.path_info)
    except Resolver404:
        return None
    page = FORMS_WITH_TEXT.get(match.url_name or "")
    return WrittenText(text, reverse(page, kwargs=match.kwargs)) if page else None


def where_to_return(request: HttpRequest) -> str:
    """The address to open after signing in: the page, or for a sent form the form as it was."""
    if request.method in ("GET", "HEAD"):
        return request.get_full_path()
    return reopened_form(request) or reverse("runs")


def reopened_form(request: HttpRequest) -> str | None:
    """Address that opens the form of this POST with its input; None for other forms."""
    try:
        match = resolve(request.path_info)
    except Resolver404:
        return None
    if match.url_name in PAGES_OF_FORMS:
        return reverse(PAGES_OF_FORMS[match.url_name], kwargs=match.kwargs)
    if match.url_name not in FORMS_THAT_REOPEN:
        return None
    kept = [
        (key, value)
        for key, values in request.POST.lists()
        if key != "csrfmiddlewaretoken"
        for value in values
    ]
    return f"{request.path}?{_short_query(kept)}" if kept else request.path


def _short_query(kept: list[tuple[str, str]]) -> str:
    """What fits into an address. The longest texts stay behind; the page's own script keeps them
    in the browser until the form opens as ``reopened``."""
    kept = [("reopened", "1"), *kept]
    while len(query := urlencode(kept)) > LONGEST_ADDRESS:
        kept.remove(max(kept, key=lambda pair: len(pair[1])))
    return query
