"""The comparison of searches gives each of them the same number of episodes, and says so."""

from __future__ import annotations

from oracles.benchmarks import evolution


def test_each_search_may_play_what_the_evolution_played() -> None:
    told: list[str] = []
    plan = evolution.Plan(
        seeds=1, proposals=3, episodes=1, screen_episodes=1, evaluation_episodes=1
    )
    rows = evolution.run(plan, told.append)
    assert [row.name for row in rows] == ["evolution-best-of-n", "evolution-linear-refinement"]
    assert len(told) == 3
    for row in rows:
        mine, theirs = row.details["found"]
        assert mine["method"] == "alpha_evolve"
        assert mine["proposals"] == 3
        overshoot = theirs["episodes"] - mine["episodes"]
        assert 0 <= overshoot < 8, "at most one proposal more than was paid for"
        assert row.details["difference"]["low"] is None, "one seed gives no interval"
        assert row.details["difference"]["mean"] == mine["agg_score"] - theirs["agg_score"]
        assert "interval unknown" in row.note
