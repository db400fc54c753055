"""Removing programs that somebody brought and nobody committed."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from csro_web.changes.models import Change, PendingImport

AT_ONCE = 100
MARGIN = timedelta(days=1)
"""Between the end of the time in which an import can be committed and its removal: a commit that
has begun then is long over."""


def kept_until(pending: PendingImport) -> datetime | None:
    """Until when it can be committed; None once something of it was: it tells who brought it."""
    if is_referred_to(pending):
        return None
    return pending.created_at + _kept()


def is_referred_to(pending: PendingImport) -> bool:
    """Whether a change came out of it. 1 query."""
    return Change.objects.filter(run=pending.run_id, provenance__import=pending.pk).exists()


def prune() -> int:
    """Remove imports of which nothing was committed in time; how many."""
    before = timezone.now() - _kept() - MARGIN
    removed, last = 0, 0
    old = PendingImport.objects.filter(created_at__lt=before).order_by("pk").select_related("run")
    while some := list(old.filter(pk__gt=last).only("pk", "run")[:AT_ONCE]):
        last = some[-1].pk
        unused = [pending.pk for pending in some if not is_referred_to(pending)]
        removed += PendingImport.objects.filter(pk__in=unused).delete()[0]
    return removed


def _kept() -> timedelta:
    return timedelta(days=settings.IMPORTS_KEPT_DAYS)
