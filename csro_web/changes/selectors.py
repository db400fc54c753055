"""What the pages of changes read, and in how many queries."""

from __future__ import annotations

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef

from csro_web.changes.models import Change, Outcome
from csro_web.changes.people import people_behind
from csro_web.policies.models import Policy
from csro_web.runs.models import Run

__all__ = ["changed_in_search", "changes_of", "list_changes", "people_behind", "recent_changes"]

CHANGES_PER_PAGE = 50


def changed_in_search() -> Exists:
    """Whether people changed the population of a run while it was searched: a condition on runs.

    What such a run scores is no measurement of its method. Revisions leave the scores alone.
    """
    told = Change.objects.filter(
        run=OuterRef("pk"), before__isnull=False, outcome__in=(Outcome.JOINED, Outcome.DONE)
    )
    return Exists(told)


def list_changes(run: Run, page_number: str | None) -> Page[Change]:
    """One page of a run's changes, newest first, without their programs. 2 queries."""
    found = Change.objects.filter(run=run).select_related("author", "policy", "parent")
    found = found.defer("source", "policy__source", "parent__source").order_by("-number")
    return Paginator(found, CHANGES_PER_PAGE).get_page(page_number)


def recent_changes(run: Run, count: int) -> list[Change]:
    """The newest changes of a run, without their programs. 1 query."""
    found = Change.objects.filter(run=run).select_related("author", "policy")
    return list(found.defer("source", "effect", "policy__source").order_by("-number")[:count])


def changes_of(policy: Policy) -> list[Change]:
    """What people did to this policy or made it by, oldest first. 1 query."""
    found = Change.objects.filter(run_id=policy.run_id, policy=policy)
    return list(found.select_related("author", "parent").defer("source", "effect"))
