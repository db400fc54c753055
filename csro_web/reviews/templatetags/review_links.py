"""What pages of other parts of the application say about threads."""

from __future__ import annotations

from typing import Any

from django import template
from django.db.models import Count, Q

from csro_web.reviews.models import State, Thread
from csro_web.runs.models import Run

register = template.Library()


@register.inclusion_tag("reviews/run_link.html", takes_context=True)
def run_threads_link(context: template.Context, run: Run) -> dict[str, Any]:
    """How many threads a run has, and how many of them are not resolved where asked. 1 query."""
    waiting = Q(wants_confirmation=True, confirmed_at__isnull=True)
    counts = (
        Thread.objects.published()
        .filter(run=run)
        .order_by()
        .aggregate(all=Count("pk"), open=Count("pk", filter=Q(state=State.OPEN) | waiting))
    )
    return {"run": run, "counts": counts, "perms": context.get("perms")}
