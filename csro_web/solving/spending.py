"""What a run has spent on models so far, for the line of progress."""

from __future__ import annotations

from django.db.models import Count, Q, Sum

from csro_web.calls.models import NANO, ModelCall
from csro_web.runs.models import Run


def in_words(run: Run) -> str:
    """Requests and US dollars; empty for a run that asks no model. 1 query for one that does."""
    if not run.config.get("model"):
        return ""
    found = ModelCall.objects.filter(run=run).aggregate(
        calls=Count("pk"), nano=Sum("nano_usd"), unpriced=Count("pk", filter=Q(nano_usd=None))
    )
    calls = f"{found['calls']} model call{'' if found['calls'] == 1 else 's'}"
    if found["unpriced"]:
        return f"{calls}, price unknown"
    return f"{calls}, {(found['nano'] or 0) / NANO:.4f} usd"
