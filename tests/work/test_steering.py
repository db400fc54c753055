"""People pause, resume and cancel runs; each takes effect, and only where it fits."""

from __future__ import annotations

import pytest

from csro_web.runs import leases, services
from csro_web.runs.models import Run, RunState, StepState
from csro_web.runs.services import RunStateError
from oracles.config import ConfigError, RunConfig
from tests.work.place import TINY

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run() -> Run:
    return services.create_run(config=RunConfig.from_json(TINY), announce=False)


def first(run: Run) -> int:
    step = run.steps.filter(state=StepState.READY).first()
    assert step is not None
    return step.pk


def test_a_new_run_is_queued_with_its_first_steps_ready(run: Run) -> None:
    assert run.state == RunState.QUEUED
    assert {step.state for step in run.steps.all()} == {StepState.READY}
    run.refresh_from_db()
    assert run.steps_expected >= run.steps.count()
    assert run.policies.count() == 3


def test_the_first_claim_starts_a_run(run: Run) -> None:
    assert leases.claim(first(run))
    run.refresh_from_db()
    assert (run.state, run.started_at is not None) == (RunState.RUNNING, True)


def test_nothing_of_a_paused_run_can_be_claimed_until_it_is_resumed(run: Run) -> None:
    before = run.change
    assert services.pause_run(run).state == RunState.PAUSED
    assert run.change > before
    assert leases.claim(first(run)) is None
    assert services.resume_run(run).state == RunState.QUEUED
    assert leases.claim(first(run))


def test_a_step_in_work_keeps_its_lease_while_its_run_is_paused(run: Run) -> None:
    step = first(run)
    owner = leases.claim(step)
    assert owner
    services.pause_run(run)
    assert leases.held(step, owner).renew()


def test_a_cancelled_run_has_ended_for_good(run: Run) -> None:
    services.cancel_run(run)
    assert (run.state, run.ended_at is not None) == (RunState.CANCELLED, True)
    assert leases.claim(first(run)) is None
    for asked in (services.pause_run, services.resume_run, services.cancel_run):
        with pytest.raises(RunStateError, match="cancelled"):
            asked(run)


def test_what_does_not_fit_the_state_is_refused_and_changes_nothing(run: Run) -> None:
    before = run.change
    with pytest.raises(RunStateError, match="queued"):
        services.resume_run(run)
    run.refresh_from_db()
    assert (run.state, run.change) == (RunState.QUEUED, before)


def test_a_replay_of_a_run_that_is_not_there_is_refused_and_leaves_no_run() -> None:
    config = RunConfig.from_json({**TINY, "writer": "replay", "recording": "4711"})
    with pytest.raises(ConfigError, match="4711"):
        services.create_run(config=config, announce=False)
    assert not Run.objects.exists()
