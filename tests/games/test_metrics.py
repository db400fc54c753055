"""Intervals cover what they should, unknown ones are None, PopExpl is the worst mean."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from games.metrics import (
    Estimate,
    estimate,
    population_score,
    weighted_mean,
)


def test_the_interval_of_a_mean_is_students() -> None:
    payoffs = [3.0, 5.0, 9.0, 1.0]
    low, high = stats.t.interval(0.95, 3, loc=4.5, scale=stats.sem(payoffs))
    found = estimate(payoffs)
    assert (found.mean, found.low, found.high) == pytest.approx((4.5, low, high))
    assert found.standard_error == pytest.approx(stats.sem(payoffs))


def test_a_single_episode_has_an_unknown_interval() -> None:
    assert estimate([4.0]) == Estimate(4.0, None, None, 1)
    assert estimate([4.0]).standard_error is None
    score = population_score([[4.0], [2.0, 3.0]])
    assert (score.pop_return.mean, score.pop_return.low) == (3.25, None)
    assert (score.pop_expl.mean, score.pop_expl.high) == (-2.5, None)
    assert (score.agg_score.mean, score.agg_score.low) == (5.75, None)


def test_no_episode_is_an_error_not_a_zero() -> None:
    with pytest.raises(ValueError, match="at least one episode"):
        estimate([])
    with pytest.raises(ValueError, match="at least one opponent"):
        population_score([])


def test_the_three_figures_of_a_deterministic_player_are_exact() -> None:
    score = population_score([[10.0] * 3, [-4.0] * 3, [30.0] * 3])
    assert score.pop_return == Estimate(12.0, 12.0, 12.0, 9)
    assert score.pop_expl == Estimate(4.0, 4.0, 4.0, 9)
    assert score.agg_score == Estimate(8.0, 8.0, 8.0, 9)


def test_a_player_that_never_loses_has_negative_pop_expl() -> None:
    assert population_score([[5.0, 7.0], [2.0, 2.0]]).pop_expl.mean == -2.0


def test_a_weighted_mean_leaves_out_what_has_no_weight() -> None:
    found = weighted_mean([[1.0, 3.0], [100.0]], [1.0, 0.0])
    assert found == estimate([1.0, 3.0])


def coverage(make: str, truth: float, trials: int = 300) -> float:
    """Share of simulated evaluations whose interval holds the truth."""
    generator = np.random.default_rng(7)
    means, sds = np.array([40.0, -30.0, 5.0, 80.0]), np.array([30.0, 10.0, 60.0, 5.0])
    hits = 0
    for _ in range(trials):
        payoffs = [list(generator.normal(m, s, 20)) for m, s in zip(means, sds, strict=True)]
        found: Estimate = getattr(population_score(payoffs), make)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= truth <= found.high
    return hits / trials


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    assert coverage("pop_return", 23.75) == pytest.approx(0.95, abs=0.04)
    assert coverage("pop_expl", 30.0) == pytest.approx(0.95, abs=0.05)
    assert coverage("agg_score", -6.25) == pytest.approx(0.95, abs=0.05)


def test_the_same_payoffs_always_show_the_same_interval() -> None:
    payoffs = [[1.0, 5.0, 2.0], [3.0, -2.0, 0.0]]
    assert population_score(payoffs) == population_score(payoffs)
