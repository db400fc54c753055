"""Sets of runs: planned, launched whole or not at all, and compared by condition."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from scipy import stats

from csro_web.runs import prepared, speed
from csro_web.runs.comparison import Over, mean_over_runs, scores
from csro_web.runs.estimate import of_runs
from csro_web.runs.models import Run, RunSet, RunState
from csro_web.runs.prepared import PreparedSet
from oracles.config import ConfigError, RunConfig
from tests.web import builders
from tests.web.test_launch import filled


def base(**changes: Any) -> RunConfig:
    return RunConfig.from_json({"game": "leduc", "seed": 40, **changes})


@pytest.mark.parametrize(
    ("which", "conditions"),
    [
        (PreparedSet.ABLATION_CONTEXT, ["context code", "context summary", "context none"]),
        (
            PreparedSet.ABLATION_OPPONENTS,
            ["opponents all", "opponents support", "opponents top5", "opponents none"],
        ),
        (PreparedSet.REPLICATES, ["linear_refinement"]),
        (PreparedSet.BEST_OF_N_BESIDE, ["alpha_evolve", "best_of_n", "linear_refinement"]),
    ],
)
def test_a_set_has_every_condition_with_every_seed(
    which: PreparedSet, conditions: list[str]
) -> None:
    planned = prepared.plan(which, base(), 3)
    assert [one.condition for one in planned] == conditions * 3
    seeds = [one.config.seed for one in planned]
    assert seeds == sorted([40, 41, 42] * len(conditions))


def test_the_runs_of_a_condition_differ_in_their_seeds_alone() -> None:
    for which in (PreparedSet.ABLATION_OPPONENTS, PreparedSet.SOLVERS):
        by_condition: dict[str, set[str]] = {}
        for one in prepared.plan(which, base(), 2):
            data = {**one.config.to_json(), "seed": 0}
            by_condition.setdefault(one.condition, set()).add(str(data))
        assert all(len(found) == 1 for found in by_condition.values())
        assert len(set().union(*by_condition.values())) == len(by_condition)


def test_oracles_beside_each_other_make_equal_numbers_of_proposals() -> None:
    chosen = base(oracle="alpha_evolve", proposals=12, budget={"minutes": 5})
    planned = prepared.plan(PreparedSet.BEST_OF_N_BESIDE, chosen, 1)
    sizes = [of_runs([one.config], None).proposals for one in planned]
    assert sizes == [12 * chosen.iterations] * 3
    assert {one.config.budget.minutes for one in planned} == {5.0}


def test_no_opponents_is_a_condition_of_the_ablation_whatever_the_base_shows() -> None:
    planned = prepared.plan(PreparedSet.ABLATION_OPPONENTS, base(context="none"), 1)
    shown = {one.condition: str(one.config.context) for one in planned}
    assert shown["opponents none"] == "none"
    assert {shown[name] for name in shown if name != "opponents none"} == {"code"}


def test_a_set_that_is_too_large_is_refused() -> None:
    with pytest.raises(ConfigError, match="300 runs, at most 200"):
        prepared.plan(PreparedSet.ABLATION_CONTEXT, base(), 100)
    with pytest.raises(ConfigError, match="at most 100"):
        prepared.plan(PreparedSet.BEST_OF_N_BESIDE, base(oracle="best_of_n", proposals=500), 1)


def test_one_run_keeps_its_interval_over_episodes_and_several_get_one_over_runs() -> None:
    runs = [[builders.held_out("best_policy", 7, "leduc", better)] for better in (0, 3, 10)]
    (alone,) = scores(runs[:1], game="leduc")
    assert (alone.over, alone.runs) == (Over.EPISODES, 1)
    assert (alone.agg_score.mean, alone.agg_score.low) == (172.5, 172.5 - 8.9)
    (three,) = scores(runs, game="leduc")
    values = [172.5, 178.5, 192.5]
    low, high = stats.t.interval(0.95, 2, loc=sum(values) / 3, scale=stats.sem(values))
    assert (three.over, three.runs) == (Over.RUNS, 3)
    assert (three.agg_score.low, three.agg_score.high) == pytest.approx((low, high))
    assert scores([*runs, []], game="leduc") == []
    assert mean_over_runs("pop_return", [4.0], game="rrps").low is None


@pytest.mark.django_db
def test_a_set_is_launched_from_the_form_and_shows_its_runs(operator: Client) -> None:
    sent = filled(set="ablation-context", replicates="2", oracle="zero_shot", name="what helps?")
    told = operator.post("/runs/new/estimate", sent).context["size"]
    answer = operator.post("/runs/new", sent)
    made = RunSet.objects.get()
    assert answer.url == f"/sets/{made.pk}"
    assert made.created_by.username == "operator"
    runs = list(made.runs.order_by("pk"))
    assert told.runs == len(runs) == 6
    assert told.matches == 6 * of_runs([RunConfig.from_json(runs[0].config)], None).matches
    assert {run.config["context"] for run in runs} == {"code", "summary", "none"}
    assert all(run.steps.exists() for run in runs)
    page = operator.get(answer.url).content.decode()
    assert "what helps?" in page
    assert page.count("badge-queued") == 6
    assert b"what helps?" in operator.get("/sets").content
    assert f'href="/sets/{made.pk}"' in operator.get("/").content.decode()


@pytest.mark.django_db
def test_a_set_that_cannot_be_is_told_at_its_field_and_launches_nothing(operator: Client) -> None:
    sent = filled(set="ablation-context", replicates="100")
    answer = operator.post("/runs/new", sent)
    assert answer.status_code == 422
    assert "at most 200" in " ".join(answer.context["form"].errors["set"])
    assert not Run.objects.exists()
    assert not RunSet.objects.exists()


def evaluated_set() -> RunSet:
    made = RunSet.objects.create(prepared="ablation-context", words="a set")
    for condition, seeds in (("context code", (1, 2)), ("context none", (1,))):
        for seed in seeds:
            run = builders.populated_run(iterations=1, state=RunState.FINISHED, seed=seed)
            run.held_out = [builders.held_out("best_policy", 7, "rrps", seed * 4)]
            run.save()
            Run.objects.filter(pk=run.pk).update(set=made, condition=condition)
    waiting = builders.make_run(state=RunState.QUEUED)
    Run.objects.filter(pk=waiting.pk).update(set=made, condition="context summary")
    return made


@pytest.mark.django_db
def test_the_page_says_what_each_interval_is_over_and_counts_the_look(viewer: Client) -> None:
    made = evaluated_set()
    page = " ".join(viewer.get(f"/sets/{made.pk}").content.decode().split())
    assert "2 runs" in page
    assert "episodes of 1 run" in page
    assert "no run evaluated yet" in page
    looks = set(made.runs.filter(state="finished").values_list("held_out_looks", flat=True))
    assert looks == {1}


@pytest.mark.django_db
def test_the_page_follows_its_runs_until_the_last_has_ended(viewer: Client) -> None:
    made = evaluated_set()
    change = viewer.get(f"/sets/{made.pk}").context["report"].change
    address = f"/sets/{made.pk}/live?since={change}"
    assert viewer.get(address).status_code == 204
    made.runs.filter(state="queued").update(state="cancelled", change=9)
    page = viewer.get(address).content.decode()
    assert "badge-cancelled" in page
    assert "hx-get" not in page


@pytest.mark.django_db
def test_the_list_of_runs_polls_while_something_runs(viewer: Client) -> None:
    run = builders.make_run()
    assert b"hx-get" in viewer.get("/?game=rrps").content
    part = viewer.get("/?game=rrps", headers={"hx-request": "true"}).content
    assert part.startswith(b'<div id="run-list"')
    Run.objects.filter(pk=run.pk).update(state=RunState.FINISHED)
    assert b"hx-get" not in viewer.get("/").content


@pytest.mark.django_db
def test_speed_is_measured_on_past_matches_and_unknown_without(settings: Any) -> None:
    settings.ENGINE_WORKERS = 2
    assert speed.decisions_per_second("rrps") is None
    run = builders.make_run()
    first, second = (builders.add_policy(run, f"# {n}", name=str(n)) for n in range(2))
    result = {"decisions": 50_000, "seconds": 2.0}
    builders.add_match(first, second, mean=0, result=result)
    assert speed.decisions_per_second("rrps") == 50_000
    size = of_runs([RunConfig.from_json({"game": "rrps"})], 50_000)
    assert size.seconds == size.decisions / 50_000


def test_requests_to_models_are_bounded_with_retries_and_budgets() -> None:
    model = {"models": [{"model": "m"}], "retries": 1}
    chosen: dict[str, Any] = {"oracle": "zero_shot", "iterations": 3, "model": model}
    built_in, written = (base(**chosen, writer=writer) for writer in ("grammar", "llm"))
    assert of_runs([built_in], None).calls == 0
    assert of_runs([written, written], None).calls == 2 * 3 * 2
    capped = base(**chosen, writer="llm", budget={"calls": 4})
    assert of_runs([capped], None).calls == 4
    agent = {"turns": 5, "opponents": 2, "episodes": 1}
    asked = base(oracle="llm_agent", model=model, agent=agent)
    assert of_runs([asked], None).calls == 5 * 2 * 2 * 2, "each turn twice, each with a retry"


def test_runs_that_scored_the_same_are_no_certainty() -> None:
    found = mean_over_runs("agg_score", [120.0, 120.0, 120.0], game="rrps")
    assert found.low is not None
    assert found.high is not None
    share = 1 - 0.05 ** (1 / 3)
    assert (found.low, found.high) == pytest.approx((120 - 2120 * share, 120 + 1880 * share))
