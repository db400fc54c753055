"""When a run's search has to end: its time is over, or a person wants no more proposals.

What was proposed and paid for until then is kept, played and evaluated.
"""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from csro_web.runs.leases import WORKABLE
from csro_web.runs.models import Run, Step, StepState

ENDED_BY_PERSON = "a person ended the search"


def seconds_left(run: Run, now: datetime | None = None) -> float | None:
    """What is left of the run's budget of minutes, at least 0; None when it has no such limit.

    Time counts from the first step on, whether somebody works or not; a pause does not count.
    """
    minutes = (run.config.get("budget") or {}).get("minutes")
    if minutes is None:
        return None
    if run.started_at is None:
        return float(minutes) * 60
    # Whatever people change in the population after the search is paid from no budget.
    until = run.ended_at or run.paused_at or now or timezone.now()
    used = (until - run.started_at).total_seconds() - run.paused_seconds
    return max(float(minutes) * 60 - used, 0.0)


def why_exhausted(run: Run) -> str | None:
    """Why nothing more may be proposed, in words; None while it may."""
    if run.finish_asked_at is not None:
        return ENDED_BY_PERSON
    if seconds_left(run) == 0:
        return f"the budget of {run.config['budget']['minutes']:g} minutes is used up"
    return None


def now_of(run_id: int) -> Run:
    """The run with what its limits depend on, as it is at this moment."""
    columns = (
        *("config", "started_at", "ended_at", "paused_at", "paused_seconds", "finish_asked_at"),
    )
    return Run.objects.only(*columns).get(pk=run_id)


def ask_people_no_more() -> int:
    """Give what waits for people to the workers where a search has to end; how many steps.

    A worker finds the limit and records that the search is over.
    """
    runs = Run.objects.filter(state__in=WORKABLE, steps__state=StepState.WAITING).distinct()
    over = [run.pk for run in runs if why_exhausted(run) is not None]
    waiting = Step.objects.filter(run_id__in=over, state=StepState.WAITING)
    return waiting.update(state=StepState.READY) if over else 0
