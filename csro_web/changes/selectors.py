"""What the pages of changes read, and in how many queries."""

from __future__ import annotations

from django.core.paginator import Page, Paginator

from csro_web.changes.models import Change
from csro_web.changes.people import people_behind
from csro_web.runs.models import Run

__all__ = ["list_changes", "people_behind"]

CHANGES_PER_PAGE = 50


def list_changes(run: Run, page_number: str | None) -> Page[Change]:
    """One page of a run's changes, newest first, without their programs. 2 queries."""
    found = Change.objects.filter(run=run).select_related("author", "policy", "parent")
    found = found.defer("source", "policy__source", "parent__source").order_by("-number")
    return Paginator(found, CHANGES_PER_PAGE).get_page(page_number)
