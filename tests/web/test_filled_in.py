"""Columns and texts that migrations fill in for what an installation already holds."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps

from csro_web.policies.models import UNKNOWN_URGENCY, Policy
from csro_web.search.models import ProgramText
from tests.web import builders

pytestmark = pytest.mark.django_db


def fill(migration: str) -> None:
    import_module(migration).fill(apps, None)


def test_weights_come_from_the_final_mixture_else_from_the_newest() -> None:
    ended = builders.populated_run(iterations=2, state="finished")
    going = builders.populated_run(iterations=2)
    fill("csro_web.policies.migrations.0008_weights_as_columns")
    for run, weights in ((ended, ended.final_sigma), (going, going.iterations.last().sigma)):
        for policy in run.policies.all():
            known = policy.index < len(weights)
            assert policy.weight == (weights[policy.index] if known else None)
            assert (policy.urgency == UNKNOWN_URGENCY) is not known


def test_each_distinct_program_becomes_searchable_once() -> None:
    builders.populated_run(iterations=1)
    builders.populated_run(iterations=1)
    fill("csro_web.search.migrations.0001_program_texts")
    hashes = set(Policy.objects.exclude(sha256="").values_list("sha256", flat=True))
    assert hashes <= set(ProgramText.objects.values_list("sha256", flat=True))
    assert ProgramText.objects.filter(code_words__contains=" favourite ").exists()
