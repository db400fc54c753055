"""Figures over several runs: means with intervals over runs, for what every run has."""

from __future__ import annotations

from typing import Any

import pytest
from scipy import stats

from csro_web.solving.report import METRICS, as_json


def answer(run: int, mean: float, *, last: bool = True) -> dict[str, Any]:
    scores = {name: {"mean": mean, "low": mean - 1, "high": mean + 1} for name in METRICS}
    return {
        "run": run,
        "game": "rrps",
        "final_mixture": scores,
        "best_policy": scores,
        "last_policy": scores if last else None,
    }


def test_one_run_is_answered_as_it_is() -> None:
    assert as_json([answer(1, 5.0)]) == answer(1, 5.0)


def test_several_runs_get_intervals_over_runs_and_not_over_episodes() -> None:
    found = as_json([answer(1, 3.0), answer(2, 5.0), answer(3, 10.0)])
    assert [one["run"] for one in found["runs"]] == [1, 2, 3]
    low, high = stats.t.interval(0.95, 2, loc=6.0, scale=stats.sem([3.0, 5.0, 10.0]))
    over = found["over_runs"]["best_policy"]["agg_score"]
    assert (over["mean"], over["low"], over["high"]) == pytest.approx((6.0, low, high))


def test_what_one_of_the_runs_lacks_has_no_figure_over_runs() -> None:
    found = as_json([answer(1, 3.0), answer(2, 5.0, last=False)])
    assert set(found["over_runs"]) == {"final_mixture", "best_policy"}
