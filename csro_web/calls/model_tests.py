"""Asking for a test of models, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.calls.jobs import MODEL_TEST
from csro_web.jobs import services
from csro_web.jobs.models import OVER, Job

MOST_MODELS = 10


class TooMany(Exception):
    """More models than one test asks; the message says how many it does."""


def ask_test(models: Sequence[dict[str, Any]], *, person: User) -> Job:
    """A job that asks each model once; the one that is going on already, if there is one.

    Raises:
        TooMany: when there are more than :data:`MOST_MODELS`.
    """
    named = {(one["endpoint"], one["model"]): None for one in models}
    if len(named) > MOST_MODELS:
        raise TooMany(f"At most {MOST_MODELS} models can be tested at once.")
    with transaction.atomic():
        mine = Job.objects.filter(kind=MODEL_TEST, asked_by=person)
        going_on = mine.exclude(state__in=OVER).first()
        if going_on is not None:
            return going_on
        inputs = {"models": [{"endpoint": e, "model": m} for e, m in named]}
        job = services.enqueue(MODEL_TEST, inputs=inputs, asked_by=person)
        record(Action.MODEL_TESTED, actor=person, subject=job, detail=inputs)
    return job
