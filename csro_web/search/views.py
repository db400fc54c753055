"""Searching the programs of all runs that a person may see."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from csro_web.accounts.permissions import requires
from csro_web.search import query, selectors, shown
from csro_web.search.comments import search_comments

PLACE_WORDS = {
    "code": "Code",
    "comments": "Comments",
    "docstrings": "Docstrings",
    "names": "Names of policies",
    "summaries": "Summaries",
    "reviews": "What reviewers wrote",
}


@require_safe
@requires("policies.view")
def search_page(request: HttpRequest) -> HttpResponse:
    asked = query.read(request.GET)
    context = {
        "asked": asked,
        "places": [(name, words, name in asked.places) for name, words in PLACE_WORDS.items()],
        "kinds": [(name, name.capitalize(), name in asked.kinds) for name in query.KINDS],
    }
    if asked.words and query.REVIEWS in asked.places and request.user.has_perm("reviews.view"):
        context["comments"] = search_comments(asked, request.user)
    if asked.words and asked.asks_for_programs:
        results = selectors.search(asked, request.user, request.GET.get("page"))
        found = [shown.result(one, asked) for one in results.found]
        context |= {"page": results.page, "results": [one for one in found if one]}
    return render(request, "search/search.html", context)
