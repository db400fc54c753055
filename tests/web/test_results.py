"""Published against measured: which runs stand together, and what each line says of itself."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from csro_web.calls.models import ModelCall
from csro_web.runs.models import Run, RunState
from csro_web.solving import measured, measured_report
from csro_web.solving.measured import Measured
from oracles.config import OracleName
from tests.web import builders

pytestmark = pytest.mark.django_db


def finished(*, better: float = 0, level: str = "full", **changes: Any) -> Run:
    run = builders.populated_run(
        iterations=1, state=RunState.FINISHED, sandbox_level=level, **changes
    )
    run.held_out = [builders.held_out("best_policy", 7, run.game, better)]
    run.save()
    return run


def measured_of(oracle: OracleName, game: str = "rrps") -> tuple[Measured, ...]:
    return next(one.measured for one in measured.methods(game) if one.oracle is oracle)


def test_every_method_of_the_paper_and_best_of_n_has_a_line_before_anything_was_run() -> None:
    for game in ("rrps", "leduc"):
        found = measured.methods(game)
        assert {one.oracle for one in found} == set(OracleName)
        assert all(one.measured == () for one in found)
        text = measured_report.as_text(found, measured.without_counterpart(game))
        assert text.count("not run") == 7
    assert "greenberg" in measured_report.as_text([], measured.without_counterpart("rrps"))


def test_published_figures_keep_their_plus_minus_and_unpublished_ones_stay_unknown() -> None:
    found = {one.oracle: one.published for one in measured.methods("rrps")}
    assert found[OracleName.LINEAR_REFINEMENT].agg_score_pm == 9.8
    assert found[OracleName.ZERO_SHOT].agg_score_pm is None
    assert found[OracleName.BEST_OF_N] is None


def test_runs_that_differ_in_their_seeds_alone_stand_together() -> None:
    runs = [finished(seed=seed, better=seed) for seed in (1, 2, 3)]
    other = finished(seed=1, refinements=3)
    one, three = measured_of(OracleName.LINEAR_REFINEMENT)
    assert (one.runs, one.seeds) == ((other,), [1])
    assert set(three.runs) == set(runs)
    (score,) = three.scores
    assert (measured_report.over(score), score.runs) == ("3 runs", 3)
    assert measured_report.over(one.scores[0]) == "episodes of 1 run"
    assert (measured_report.seeds(three), measured_report.seeds(one)) == ("1-3", "1")


def test_lines_that_would_read_alike_name_what_tells_them_apart() -> None:
    finished(budget={"calls": 1, "tokens": None, "usd": None, "minutes": None})
    finished(episodes=12, training_solver="uniform")
    finished(refinements=3)
    three, twelve, once = (one.settings for one in measured_of(OracleName.LINEAR_REFINEMENT))
    assert three == "grammar, 5 iterations, M = 3, code, support"
    assert twelve.endswith("M = 10, code, support, episodes = 12, training solver = uniform")
    assert once.endswith("support, episodes = 10, training solver = nash, budget calls = 1")


def test_the_same_run_made_twice_is_no_second_sample_unless_a_model_was_asked() -> None:
    finished(seed=5)
    newest = finished(seed=5)
    (group,) = measured_of(OracleName.LINEAR_REFINEMENT)
    assert group.runs == (newest,)
    model = {"models": [{"model": "m"}]}
    for _ in range(2):
        finished(seed=5, oracle="zero_shot", writer="llm", model=model)
    (asked,) = measured_of(OracleName.ZERO_SHOT)
    assert len(asked.runs) == 2


def test_a_run_that_was_cut_before_it_scored_hides_no_other_runs_scores() -> None:
    for seed in (1, 2):
        finished(seed=seed, oracle="llm_agent", model={"models": [{"model": "m"}]})
    cut = finished(seed=3, oracle="llm_agent", model={"models": [{"model": "m"}]})
    Run.objects.filter(pk=cut.pk).update(held_out=[])
    (group,) = measured_of(OracleName.LLM_AGENT)
    assert group.seeds == [1, 2, 3]
    assert [score.runs for score in group.scores] == [2]


def test_what_cannot_be_compared_is_left_out() -> None:
    finished(writer="replay", recording="1")
    finished(challenge=[{"name": "x", "bot": "rockbot"}])
    Run.objects.filter(pk=finished(seed=9).pk).update(state=RunState.CANCELLED)
    assert measured_of(OracleName.LINEAR_REFINEMENT) == ()
    finished(game="leduc")
    assert measured_of(OracleName.LINEAR_REFINEMENT) == ()


def test_calls_failures_and_the_weakest_sandbox_are_told() -> None:
    first = finished(seed=1, level="kernel")
    finished(seed=2)
    now = timezone.now()
    for key in ("it1/attempt0", "it1/attempt0", "it1/attempt1", "resend/1/1"):
        ModelCall.objects.create(
            run=first,
            key=key,
            purpose="write",
            attempt=1,
            model_asked="m",
            messages=[],
            outcome="answered",
            reserved_tokens=1,
            owner="w",
            overdue_at=now,
            ended_at=now,
        )
    (group,) = measured_of(OracleName.LINEAR_REFINEMENT)
    assert (group.calls, group.policies, group.calls_per_policy) == (3, 2, 1.5)
    assert (group.failed, group.tried, measured_report.share(group)) == (2, 8, "25% of 8")
    assert group.sandbox_level == "kernel"
    Run.objects.filter(pk=first.pk).update(sandbox_level="")
    assert measured_of(OracleName.LINEAR_REFINEMENT)[0].sandbox_level == ""


def test_figures_on_opponents_the_writer_was_not_tuned_on_stand_apart() -> None:
    run = finished()
    scores = run.held_out[0]
    worse = {name: {**scores[name], "mean": 1.0} for name in ("pop_return", "pop_expl")}
    scores["untuned"] = {**worse, "agg_score": {**scores["agg_score"], "mean": 0.0}}
    run.save()
    (group,) = measured_of(OracleName.LINEAR_REFINEMENT)
    assert [one.agg_score.mean for one in group.scores] == [172.5, 0.0]
    assert "not tuned on" in measured_report.in_words(group.scores[1].subject)


def test_the_page_shows_the_same_and_counts_the_look(viewer: Client) -> None:
    run = finished(seed=77)
    page = " ".join(viewer.get("/results").content.decode().split())
    assert f'<a href="/runs/{run.pk}">seed 77</a>' in page
    for told in ("PSRO-IMPALA", "not run", "episodes of 1 run", "not published", "± 9.8"):
        assert told in page
    run.refresh_from_db()
    assert run.held_out_looks == 1
    assert b"chips per 100 hands" in viewer.get("/results?game=leduc").content
    assert viewer.get("/results?game=chess").status_code == 200


def test_a_crowd_of_runs_costs_no_more_queries(
    viewer: Client, django_assert_max_num_queries: Any
) -> None:
    for seed in range(6):
        finished(seed=seed)
    viewer.get("/")  # notes, once a minute, that the session is in use
    with django_assert_max_num_queries(10):
        viewer.get("/results")
