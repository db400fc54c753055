"""What pages say of a job that waits."""

from __future__ import annotations

from django import template

from csro_web.jobs import waiting
from csro_web.jobs.models import Job

register = template.Library()


@register.filter
def waits_for(job: Job) -> str:
    """In a sentence or two; empty once it is in work or over."""
    return waiting.words(job)


@register.filter
def cursor(job: Job) -> str:
    """What a page that shows the job polls with."""
    return waiting.cursor(job)
