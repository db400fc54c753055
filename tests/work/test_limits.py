"""A run's search ends at its budget of minutes, or when a person says so; the rest is done."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from csro_web.runs import leases, limits, services
from csro_web.runs.models import Run, RunState, Step, StepState
from csro_web.runs.services import RunStateError
from csro_web.runs.worker import Worker
from csro_web.solving import drive
from oracles.config import RunConfig
from tests.work.place import TINY

pytestmark = pytest.mark.django_db(transaction=True)


def launch(**changes: object) -> Run:
    return services.create_run(config=RunConfig.from_json({**TINY, **changes}), announce=False)


def finish(run: Run) -> Run:
    """Does every step in this process."""
    worker = Worker(engine_workers=1, announce=False)
    try:
        return drive.work_on(run.pk, worker, lambda *_: None)
    finally:
        worker.close()


def test_minutes_count_from_the_first_step_and_not_in_pauses() -> None:
    run = launch(budget={"minutes": 10})
    assert limits.seconds_left(run) == 600
    now = timezone.now()
    run.started_at = now - timedelta(minutes=12)
    run.paused_seconds = 180
    assert limits.seconds_left(run, now) == pytest.approx(60)
    run.paused_at = now - timedelta(minutes=5)
    assert limits.seconds_left(run, now) == pytest.approx(360)
    run.paused_at, run.paused_seconds = None, 0
    assert limits.why_exhausted(run) == "the budget of 10 minutes is used up"
    assert limits.why_exhausted(launch()) is None


def test_a_pause_is_measured() -> None:
    run = launch(budget={"minutes": 10})
    step = run.steps.first()
    assert step is not None
    assert leases.claim(step.pk)
    run.refresh_from_db()
    services.pause_run(run)
    Run.objects.update(paused_at=timezone.now() - timedelta(seconds=100))
    Run.objects.update(started_at=timezone.now() - timedelta(seconds=130))
    run = services.resume_run(run)
    assert (run.state, run.paused_at) == (RunState.RUNNING, None)
    assert run.paused_seconds == pytest.approx(100, abs=5)
    assert limits.seconds_left(run) == pytest.approx(570, abs=5)


def test_a_run_whose_time_is_over_proposes_nothing_more_and_is_evaluated() -> None:
    run = finish(launch(budget={"minutes": 0}))
    assert run.state == RunState.FINISHED
    assert run.candidates.count() == 0
    assert run.held_out
    assert "0 minutes is used up" in run.stop_reason + run.iterations.get().note


def test_a_terminal_waits_for_people_no_longer_than_the_run_has_time() -> None:
    run = launch(writer="manual", budget={"minutes": 10})
    worker = Worker(engine_workers=1, announce=False)
    waited: list[str] = []

    def time_passes(run: Run, label: str) -> None:
        if "wait for a person" in label:
            started = timezone.now() - timedelta(minutes=11)
            Run.objects.filter(pk=run.pk).update(started_at=started)
            waited.append(label)
        if len(waited) > 50:
            worker.stop()

    try:
        run = drive.work_on(run.pk, worker, time_passes)
    finally:
        worker.close()
    assert (run.state, bool(waited)) == (RunState.FINISHED, True)
    assert "10 minutes is used up" in run.stop_reason + run.iterations.get().note


def test_a_person_ends_the_search_and_what_was_found_is_evaluated() -> None:
    run = launch(iterations=3)
    worker = Worker(engine_workers=1, announce=False)
    try:
        while not run.policies.filter(iteration=1).exists():
            step = run.steps.filter(state=StepState.READY).first()
            assert step is not None
            worker.perform(step.pk)
    finally:
        worker.close()
    services.finish_run(run)
    with pytest.raises(RunStateError, match="being finished already"):
        services.finish_run(run)
    run = finish(run)
    assert run.state == RunState.FINISHED
    assert run.policies.filter(iteration__isnull=False).count() == 1
    assert [score["subject"] for score in run.held_out or []]
    with pytest.raises(RunStateError):
        services.finish_run(Run.objects.create(config=run.config, seed=1, state="failed"))


def test_a_paused_run_that_is_to_be_finished_goes_on() -> None:
    run = launch()
    services.pause_run(run, reason="the key was refused")
    run = services.finish_run(run)
    assert (run.state, run.pause_reason) == (RunState.QUEUED, "")
    assert finish(run).state == RunState.FINISHED


def test_what_waits_for_people_is_given_to_workers_when_the_search_has_to_end() -> None:
    run = launch()
    Step.objects.filter(run=run).update(state=StepState.WAITING)
    assert limits.ask_people_no_more() == 0
    services.finish_run(run)
    assert set(run.steps.values_list("state", flat=True)) == {StepState.READY}
