"""Claims against fresh episodes: luck is found out, and honest claims are seldom accused."""

from __future__ import annotations

import numpy as np
import pytest

from games.metrics import Estimate, estimate
from oracles.reevaluation import (
    Claim,
    Verdict,
    difference,
    episodes_for,
    seed_from_signature,
    seed_message,
    verdict_in_words,
)


def test_the_best_of_many_on_the_same_episodes_is_found_to_be_worse_than_claimed() -> None:
    generator = np.random.default_rng(7)
    tried = generator.normal(0, 100, size=(500, 40))
    luckiest = max(tried, key=lambda payoffs: payoffs.mean())
    claim = Claim("score", estimate(luckiest), estimate(generator.normal(0, 100, size=800)))
    assert claim.claimed.low is not None
    assert claim.claimed.low > 0
    assert claim.verdict is Verdict.WORSE


def test_honest_claims_are_called_worse_about_as_often_as_their_interval_says() -> None:
    generator = np.random.default_rng(8)
    rounds = 2000
    worse = sum(
        Claim(
            "row",
            estimate(generator.normal(10, 50, size=30)),
            estimate(generator.normal(10, 50, size=60)),
        ).verdict
        is Verdict.WORSE
        for _ in range(rounds)
    )
    assert 0.01 < worse / rounds < 0.04  # one side of 95 %


def test_worse_means_higher_where_lower_is_better() -> None:
    low, high = Estimate(10.0, 9.0, 11.0, 50), Estimate(20.0, 19.0, 21.0, 50)
    assert Claim("pop_expl", low, high, lower_is_better=True).verdict is Verdict.WORSE
    assert Claim("pop_expl", high, low, lower_is_better=True).verdict is Verdict.HOLDS
    assert Claim("agg_score", low, high).verdict is Verdict.HOLDS


def test_the_interval_of_a_difference_keeps_the_lopsidedness_of_its_parts() -> None:
    found = difference(Estimate(5.0, 4.0, 9.0, 10), Estimate(2.0, 0.0, 2.5, 10))
    assert found.mean == 3.0
    assert found.low == pytest.approx(3 - np.hypot(1.0, 0.5))
    assert found.high == pytest.approx(3 + np.hypot(4.0, 2.0))


def test_an_unknown_interval_gives_no_verdict() -> None:
    claim = Claim("gain", Estimate(5.0, None, None, 1), Estimate(-80.0, -81.0, -79.0, 50))
    assert claim.difference.mean == -85.0
    assert claim.verdict is Verdict.UNKNOWN
    assert "unknown" in verdict_in_words([claim])


def test_the_message_that_is_signed_is_spelled_one_way_only() -> None:
    message = seed_message(game="leduc", params={"reveal": "showdown"}, program="ab" * 32)
    assert message == (
        b'csro re-evaluation\0{"game":"leduc","params":{"reveal":"showdown"},"program":"'
        + b"ab" * 32
        + b'"}'
    )


def test_a_seed_is_in_the_range_that_matches_take() -> None:
    seeds = [seed_from_signature(bytes([n]) * 64) for n in range(200)]
    assert len(set(seeds)) == 200
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_a_game_is_played_twice_as_long_as_in_a_runs_own_evaluation() -> None:
    assert (episodes_for("rrps"), episodes_for("leduc")) == (40, 800)
