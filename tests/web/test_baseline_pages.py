"""Pages of baselines, and of what meta-solvers say of their mixtures, from runs made for real."""

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
from tests.model_server import MODEL, ModelServer

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


def test_an_agent_without_any_policy_has_a_page_that_says_on_what_it_rests(viewer: Client) -> None:
    with ModelServer(["Rock", "What?", "Why?", "2"]) as server:
        run = finished(
            game="rrps",
            oracle="llm_agent",
            model={"models": [{"model": MODEL}], "api_base": server.url, "retries": 0},
            agent={"turns": 3, "opponents": 1},
        )
    assert run.state == "finished", run.failure
    assert run.policies.count() == 0
    page = text_of(viewer, f"/runs/{run.pk}")
    for words in (
        "These figures rest on 3 throws against 1 of 43 opponents , 1 drawn with the run's seed: "
        "3 turns asked in 4 model calls, 1 episode that count",
        "each payoff is scaled to 1,000 throws",
        "1 answer named no legal action and was asked again; 1 decision was forfeited",
        "The agent, asked at every turn",
        "1 unreadable answer",
        "no program played",
    ):
        assert words in page.replace("&#x27;", "'")
    assert viewer.get(f"/runs/{run.pk}/payoffs.csv").status_code == 200
    assert viewer.get("/").status_code == 200


def test_a_mixture_says_what_a_policy_gains_against_it(viewer: Client) -> None:
    run = finished(
        game="leduc",
        iterations=1,
        refinements=1,
        episodes=2,
        evaluation_episodes=1,
        training_solver="prd",
        evaluation_solver="alpha_rank",
        seed=2,
    )
    assert run.state == "finished", run.failure
    assert run.mixture_quality["solver"] == "alpha_rank"
    page = text_of(viewer, f"/runs/{run.pk}")
    assert "Meta-solver alpha rank: the best policy of this population gains" in page
    assert "against the mixture; it looks for no equilibrium." in page
    first = run.steps.get(key="it1/solve").result
    assert first["quality"]["solver"] == "prd"
    assert first["quality"]["converged"] in (True, False)
    run.mixture_quality["converged"] = False
    run.save(update_fields=["mixture_quality"])
    assert "so it has not converged ." in text_of(viewer, f"/runs/{run.pk}")
