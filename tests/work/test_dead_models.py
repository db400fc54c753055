"""A model that does not answer holds no worker: the step comes back when the model is due."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.utils import timezone

from csro_web.calls.models import ModelCall
from csro_web.leases.outcome import Outcome
from csro_web.runs import services, tools
from csro_web.runs.models import Run, RunState, Step, StepState
from csro_web.runs.worker import Worker
from oracles.config import RunConfig
from tests.model_server import MODEL, ModelServer, answers, model_server, status
from tests.work.misbehaving import program
from tests.work.place import TINY

__all__ = ["model_server"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker(engine_workers=1, announce=False)
    yield made
    made.close()


@pytest.fixture
def run(model_server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    file = tmp_path / "endpoints.toml"
    file.write_text(f'[lab]\napi_base = "{model_server.url}"\nmodels = ["{MODEL}"]\n')
    monkeypatch.setenv("CSRO_ENDPOINTS", str(file))
    monkeypatch.setattr(tools, "LONGEST_WAIT", 0.0)
    model = {"models": [{"model": MODEL, "endpoint": "lab"}], "retries": 2, "max_tokens": 500}
    config = RunConfig.from_json({**TINY, "writer": "llm", "model": model})
    return services.create_run(config=config, announce=False)


def work_until_given_back(run: Run, worker: Worker) -> Step:
    """Do what is due until something is put off; that step."""
    while (step := run.steps.due().order_by("order").first()) is not None:
        if worker.perform(step.pk) is Outcome.GIVEN_BACK:
            step.refresh_from_db()
            return step
    raise AssertionError("nothing was given back")


def test_a_model_that_is_away_gets_its_time_and_the_worker_keeps_its_own(
    run: Run, worker: Worker, model_server: ModelServer, viewer: Any, settings: LazySettings
) -> None:
    model_server.script(status(503), status(503), answers(program(0)))
    step = work_until_given_back(run, worker)
    assert (step.state, step.attempts, step.owner) == (StepState.READY, 0, "")
    assert step.not_before > timezone.now() - timedelta(seconds=1)
    assert "503" in step.failure
    Step.objects.filter(pk=step.pk).update(not_before=timezone.now() + timedelta(minutes=5))
    assert worker.perform(step.pk) is Outcome.NOT_TO_BE_HAD
    assert "The model did not answer" in viewer.get(f"/runs/{run.pk}").content.decode()
    for expected in (Outcome.GIVEN_BACK, Outcome.SAVED):
        Step.objects.filter(pk=step.pk).update(not_before=timezone.now())
        assert worker.perform(step.pk) is expected
    step.refresh_from_db()
    assert (step.attempts, step.failure) == (1, "")
    asked = ModelCall.objects.filter(run=run).order_by("pk")
    assert list(asked.values_list("attempt", flat=True)) == [1, 2, 3]


def test_a_model_that_stays_away_costs_one_proposal_and_no_attempt_of_the_step(
    run: Run, worker: Worker, model_server: ModelServer
) -> None:
    model_server.script(*[status(503)] * 3)
    step = work_until_given_back(run, worker)
    for expected in (Outcome.GIVEN_BACK, Outcome.SAVED):
        Step.objects.filter(pk=step.pk).update(not_before=timezone.now())
        assert worker.perform(step.pk) is expected
    assert ModelCall.objects.filter(run=run).count() == 3
    run.refresh_from_db()
    assert run.state == RunState.RUNNING
