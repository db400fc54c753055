"""A trained policy on the pages: its curve, and that it is a black box."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from django.test import Client

from csro_web.policies.models import Origin, Policy
from csro_web.runs.models import Run
from games.registry import get_game
from oracles.baselines import impala
from oracles.baselines.impala.observers import rrps
from oracles.baselines.impala.program import program
from tests.web import builders
from tests.web.test_launch import filled

pytestmark = pytest.mark.django_db
TRAINING = {
    "frames": 1_536_000,
    "episodes": 1536,
    "forfeits": 0,
    "seconds": 125.0,
    "ended_early": "the time is up",
    "curve": [
        {"frames": 64_000 * n, "mean_return": 25.0 * n, "entropy": 1.1 - n / 40, "loss": 0.9}
        for n in range(1, 25)
    ],
}


@pytest.fixture
def trained(db: None) -> Policy:
    run = builders.populated_run(iterations=0, oracle="impala", state="finished")
    hidden = 32
    count = 4 * hidden * (rrps.FEATURES + hidden + 1) + 4 * (hidden + 1)
    weights = np.random.default_rng(1).normal(0, 0.3, count).astype(np.float32)
    source = program(get_game("rrps"), weights, hidden=hidden, frames=TRAINING["frames"])
    candidate = builders.add_candidate(
        run, 1, 1, source=source, messages=[], completion="", feedback="", training=TRAINING
    )
    return builders.add_policy(
        run, source, name="best response 1", origin=Origin.TRAINED, iteration=1,
        candidate=candidate,
    )  # fmt: skip


def test_a_trained_policy_says_that_it_is_a_black_box(trained: Policy, viewer: Client) -> None:
    html = viewer.get(f"/policies/{trained.pk}").content.decode()
    assert "A black box" in html
    assert "cannot be approved" in html
    assert not trained.approvable
    assert f'href="/candidates/{trained.candidate_id}"' in html


def test_a_written_policy_may_be_approved_and_is_called_no_black_box(viewer: Client) -> None:
    run = builders.populated_run(iterations=1)
    policy = run.policies.get(origin=Origin.REFINED)
    assert policy.approvable
    assert "black box" not in viewer.get(f"/policies/{policy.pk}").content.decode()
    bot = builders.add_policy(run, "", name="bot:rockbot", origin=Origin.BOT)
    assert not bot.approvable


def test_the_weights_are_folded_and_every_line_is_there(trained: Policy, viewer: Client) -> None:
    html = viewer.get(f"/policies/{trained.pk}").content.decode()
    lines = trained.source.count("\n")
    before, _, after = html.partition('<details class="fold">')
    folded, _, _ = after.partition("</details>")
    assert before.count('class="line"') + folded.count('class="line"') < lines
    assert folded.count('class="line"') > 60
    assert after.partition("</details>")[2].count('class="s"') == 0, "the last one is short"
    assert html.count('class="line"') >= lines
    assert "class=&quot;" not in folded
    assert folded.count('<span class="s">') == folded.count('class="line"'), "no tokens inside"


def test_run_and_candidate_show_the_curve_with_frames_and_wall_time(
    trained: Policy, viewer: Client
) -> None:
    for page in (f"/runs/{trained.run_id}", f"/candidates/{trained.candidate_id}"):
        html = viewer.get(page).content.decode()
        assert "1,536,000" in html
        assert "2 min 5 s" in html
        assert "the time is up" in html
        assert '<polyline class="curve line-0"' in html
    assert html.count("<tr><td") >= len(TRAINING["curve"]), "every point is in a table too"
    assert "What the writer was told" not in html
    assert "Answer, as it came" not in html


def test_a_run_without_training_shows_no_such_section(viewer: Client) -> None:
    run = builders.populated_run(iterations=1)
    assert 'id="h-training"' not in viewer.get(f"/runs/{run.pk}").content.decode()


def test_without_pytorch_nothing_is_launched_and_the_form_says_what_to_install(
    operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(impala, "find_spec", lambda name: None)
    answer = operator.post("/runs/new", filled(oracle="impala", name="kept"))
    assert answer.status_code == 422
    html = answer.content.decode()
    assert "pip install -r requirements-impala.txt" in html
    assert 'value="kept"' in html
    assert not Run.objects.exists()


@pytest.mark.needs("torch")
def test_with_pytorch_a_newcomer_can_launch_it(operator: Client) -> None:
    answer = operator.post("/runs/new", filled(oracle="impala", impala_frames="5000"))
    run = Run.objects.get()
    assert answer.url == f"/runs/{run.pk}"
    assert run.config["impala"]["frames"] == 5000
    assert json.dumps(run.config)


def test_the_approvable_property_asks_for_no_query(
    trained: Policy, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        assert trained.is_black_box
