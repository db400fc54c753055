"""A process reads each result once, and never takes one run's results for another's."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from csro_web.runs import known, steps
from csro_web.runs.models import Run, Step, StepState
from oracles.config import RunConfig
from tests.oracles.alpha_evolve import world
from tests.web import builders

pytestmark = pytest.mark.django_db


def done(run: Run, key: str, order: int, result: dict[str, Any]) -> Step:
    ended = timezone.now() + timedelta(microseconds=order)
    return Step.objects.create(
        run=run, key=key, kind="play", order=order, state=StepState.DONE, result=result,
        ended_at=ended,
    )  # fmt: skip


def evolution(**changes: Any) -> tuple[Run, RunConfig]:
    config = world.config(**changes)
    run = builders.make_run(oracle="alpha_evolve")
    run.config = config.to_json()
    run.save()
    return run, config


def test_only_new_results_are_read() -> None:
    run, _ = evolution()
    done(run, "a", 0, {"matches": [1]})
    assert known.results(run.pk) == {"a": {"matches": [1]}}
    done(run, "b", 1, {"matches": [2]})
    with CaptureQueriesContext(connection) as asked:
        assert known.results(run.pk) == {"a": {"matches": [1]}, "b": {"matches": [2]}}
    assert len(asked) == 2
    with CaptureQueriesContext(connection) as asked:
        assert list(known.results(run.pk)) == ["a", "b"]
    assert len(asked) == 1


def test_a_run_is_folded_once_for_the_same_results() -> None:
    run, config = evolution()
    first, _ = known.state(run, config)
    assert known.state(run, config)[0] is first
    step = first.pending[0]
    done(run, step.key, 0, dict(world.invented(step, config)))
    second, results = known.state(run, config)
    assert second is not first
    assert list(results) == [step.key]
    assert step.key not in [pending.key for pending in second.pending]


def test_a_run_that_takes_the_number_of_another_is_not_mistaken_for_it() -> None:
    """Numbers come back, for example when a database is made anew below a running process."""
    run, config = evolution(seed=1)
    step = known.state(run, config)[0].pending[0]
    done(run, step.key, 0, {"matches": []})
    known.results(run.pk)
    number = run.pk
    run.delete()
    other, config = evolution(seed=2, initial=["uniform", "mostly_paper", "mirror_last"])
    other.pk = number
    other.save()
    other = Run.objects.get(pk=number)
    assert known.results(number) == {}
    assert len(steps.known_state(other).population) == 3


def test_few_runs_are_remembered() -> None:
    runs = [evolution()[0] for _ in range(known.RUNS_REMEMBERED + 3)]
    for run in runs:
        known.results(run.pk)
    assert len(known._memories) == known.RUNS_REMEMBERED
