"""Removing jobs that nobody will look at any more. What they found stands in other rows by then."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from csro_web.jobs.models import OVER, Job, JobState

AT_ONCE = 500
"""Rows of one short transaction."""


def prune() -> int:
    """Remove jobs that have been over for long; how many.

    Kept are every job that a row refers to (a trial, a re-evaluation, an export), and the newest of
    its kind for each person and run. Failures are kept longer than what went well.
    """
    removed = 0
    while some := list(_forgotten().values_list("pk", flat=True)[:AT_ONCE]):
        removed += _forgotten().filter(pk__in=some).delete()[0]
    return removed


def _forgotten() -> QuerySet[Job]:
    now = timezone.now()
    failed = Q(state=JobState.FAILED)
    long_over = Q(ended_at__lt=now - timedelta(days=settings.JOBS_KEPT_DAYS)) & ~failed
    long_over |= Q(ended_at__lt=now - timedelta(days=settings.FAILED_JOBS_KEPT_DAYS)) & failed
    newest = Job.objects.order_by().values("kind", "run", "asked_by").annotate(pk=Max("pk"))
    jobs = Job.objects.filter(long_over, state__in=OVER).exclude(pk__in=newest.values("pk"))
    for relation in Job._meta.related_objects:
        referring = {relation.field.name: OuterRef("pk")}
        jobs = jobs.exclude(Exists(relation.related_model.objects.filter(**referring)))
    return jobs.order_by("pk")
