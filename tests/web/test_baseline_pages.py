"""The page of a baseline that was run for real."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from csro_web.runs import services
from csro_web.runs.models import Run
from csro_web.runs.worker import Worker
from csro_web.solving.drive import work_on
from oracles.config import RunConfig

pytestmark = pytest.mark.django_db(transaction=True)


def finished(**choices: Any) -> Run:
    config = RunConfig.from_json(choices)
    run = services.create_run(config=config, announce=False, from_terminal=True)
    worker = Worker(engine_workers=1, announce=False)
    try:
        return work_on(run.pk, worker, lambda run, label: None)
    finally:
        worker.close()


def text_of(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def test_a_computed_policy_is_shown_with_its_exact_figures_and_its_chart(viewer: Client) -> None:
    run = finished(game="leduc", oracle="cfr", cfr_iterations=200, evaluation_episodes=4)
    assert run.state == "finished", run.failure
    page = text_of(viewer, f"/runs/{run.pk}")
    assert "Exact, not sampled +4" in page
    assert "chips in one hand, what a best response gains" in page
    assert "CFR+ made its 200 iterations over one hand" in page
    policy = run.policies.get()
    assert policy.get_origin_display() == "Computed"
    chart = text_of(viewer, f"/policies/{policy.pk}")
    assert "Plays every hand from one chart" in chart
    assert "computed" in chart.lower()
