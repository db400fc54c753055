"""What a change of mixture means, against small games that are solved by hand."""

from __future__ import annotations

import numpy as np
import pytest

from games.metagame import solve
from games.metrics import Estimate, estimate, t_quantile
from games.tournament import matrices
from oracles.changes import Weights
from oracles.mixture import solve_mixture
from oracles.revisions import consequence, restricted_mixture
from oracles.state import CellRecord

EXACT = 1e-9


def cell(row: int, column: int, mean: float, error: float | None, episodes: int = 40) -> CellRecord:
    half = None if error is None else error * t_quantile(episodes - 1)
    known = Estimate(
        mean,
        None if half is None else mean - half,
        None if half is None else mean + half,
        episodes,
    )
    return CellRecord(row, column, known, f"{row}/{column}", 1, {}, {})


def cells(matrix: list[list[float]], error: float | None = 0.0) -> list[CellRecord]:
    return [
        cell(row, column, matrix[row][column], error)
        for row in range(len(matrix))
        for column in range(row)
    ]


def weights(*sigma: float) -> Weights:
    return Weights(sigma, (), ())


RPS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
WEIGHTED = [[0, -2, 1], [2, 0, -1], [-1, 1, 0]]
"""Paper beats rock by 2: the equilibrium is (1/4, 1/4, 1/2)."""
DOMINATED = [[0, -1, 1, 2], [1, 0, -1, 2], [-1, 1, 0, 2], [-2, -2, -2, 0]]
"""Rock, paper, scissors, and a fourth that loses 2 to each of them."""
EVEN_ODD_THIRD = [[0, 1, -1], [-1, 0, 3], [1, -3, 0]]
"""Two of them alone: the first beats the second. With the third: (3/5, 1/5, 1/5)."""


def test_a_third_policy_turns_a_pure_equilibrium_into_a_mixed_one() -> None:
    found = cells(EVEN_ODD_THIRD)
    before = restricted_mixture(found, 2, [0, 1], "nash", 1)
    after = restricted_mixture(found, 3, [0, 1, 2], "nash", 1)
    assert before.sigma == pytest.approx((1, 0))
    assert after.sigma == pytest.approx((3 / 5, 1 / 5, 1 / 5))
    told = consequence(before, after, found)
    # 3/5 * 0 + 1/5 * -1 + 1/5 * 1 against the first policy alone
    assert told.payoff.mean == pytest.approx(0)
    assert told.exploitability_before.mean == pytest.approx(1)  # what the third gains on the first
    assert told.exploitability_after.mean == pytest.approx(0, abs=EXACT)
    first, second, third = told.shifts
    assert (first.weight_before, first.weight_after) == pytest.approx((1, 3 / 5))
    assert third.weight_before is None  # it was no member: that is not a weight of 0
    assert third.payoff_before.mean == pytest.approx(1)
    assert third.difference.mean == pytest.approx(-1)
    assert second.payoff_before.mean == pytest.approx(-1)
    assert second.difference.mean == pytest.approx(1)


def test_matching_pennies_with_a_third_strategy() -> None:
    """Both seats of matching pennies, averaged, pay 0 between its strategies; a third one pays."""
    found = cells([[0, 0, -1], [0, 0, -1], [1, 1, 0]])
    before = restricted_mixture(found, 3, [0, 1], "nash", 1)
    after = restricted_mixture(found, 3, [0, 1, 2], "nash", 1)
    assert before.sigma == pytest.approx((0.5, 0.5, 0))
    assert after.sigma == pytest.approx((0, 0, 1))
    told = consequence(before, after, found)
    assert told.payoff.mean == pytest.approx(1)
    assert told.exploitability_before.mean == pytest.approx(1)
    assert told.exploitability_after.mean == pytest.approx(0, abs=EXACT)


def test_withdrawing_scissors_costs_what_scissors_gain() -> None:
    found = cells(WEIGHTED)
    before = restricted_mixture(found, 3, [0, 1, 2], "nash", 1)
    after = restricted_mixture(found, 3, [0, 1], "nash", 1)
    assert before.sigma == pytest.approx((1 / 4, 1 / 4, 1 / 2))
    assert after.sigma == (0, 1, 0)
    told = consequence(before, after, found)
    assert told.exploitability_before.mean == pytest.approx(0, abs=EXACT)
    assert told.exploitability_after.mean == pytest.approx(1)  # scissors cut paper
    assert told.payoff.mean == pytest.approx(0)  # paper against its own equilibrium
    assert told.shifts[2].weight_after == 0
    assert told.shifts[2].payoff_after.mean == pytest.approx(1)
    assert told.shifts[0].difference.mean == pytest.approx(-2)


def test_withdrawing_a_dominated_strategy_changes_nothing() -> None:
    found = cells(DOMINATED, 0.1)
    before = restricted_mixture(found, 4, range(4), "nash", 1)
    after = restricted_mixture(found, 4, range(3), "nash", 1)
    assert before.sigma == pytest.approx(after.sigma)
    told = consequence(before, after, found)
    assert told.payoff.mean == pytest.approx(0, abs=EXACT)
    assert [one.difference.mean for one in told.shifts] == pytest.approx([0] * 4)


def test_all_members_are_solved_as_the_loop_solves_them() -> None:
    found = cells(WEIGHTED, 0.2)
    assert restricted_mixture(found, 3, range(3), "nash", 5) == solve_mixture(found, 3, "nash", 5)


def test_members_left_out_have_weight_and_range_zero() -> None:
    found = cells(DOMINATED, 0.3)
    mixture = restricted_mixture(found, 4, [0, 2, 3], "nash", 5)
    assert (mixture.sigma[1], mixture.low[1], mixture.high[1]) == (0, 0, 0)
    assert sum(mixture.sigma) == pytest.approx(1)
    assert mixture.sigma[0] == pytest.approx(1)  # rock beats scissors
    assert mixture.quality is not None
    assert mixture.quality.exploitability == pytest.approx(0)  # within those that are kept


@pytest.mark.parametrize("keep", [[], [3], [-1, 0]])
def test_nobody_or_a_stranger_cannot_be_kept(keep: list[int]) -> None:
    with pytest.raises(ValueError, match="needs members among 0 to 2"):
        restricted_mixture(cells(RPS), 3, keep, "nash", 1)


def test_errors_are_propagated_through_the_cells() -> None:
    """u = x' A y is linear in the cells, here with three that are known to 0.3, 0.4 and 1.2."""
    found = [cell(1, 0, 1, 0.3, 10), cell(2, 0, -1, 0.4, 10), cell(2, 1, 1, 1.2, 10)]
    told = consequence(weights(0.5, 0.5, 0), weights(0, 0, 1), found)
    error = 0.5 * (0.4**2 + 1.2**2) ** 0.5
    parts = [(0.5 * 0.4) ** 2, (0.5 * 1.2) ** 2]
    degrees = sum(parts) ** 2 / sum(part**2 / 9 for part in parts)
    assert told.payoff.mean == pytest.approx(0)
    assert told.payoff.high == pytest.approx(error * t_quantile(round(degrees, 6)))
    assert told.payoff.episodes == 20


def test_what_was_played_once_has_no_interval() -> None:
    found = [cell(1, 0, 1, 0.1), cell(2, 0, -1, None, 1), cell(2, 1, 1, 0.1)]
    told = consequence(weights(1, 0, 0), weights(0, 0, 1), found)
    assert told.payoff.low is None
    assert told.exploitability_before.high is None
    assert told.shifts[1].payoff_before.low is not None  # the cell that is unknown plays no part


def test_a_mixture_against_itself_gains_nothing_for_certain() -> None:
    told = consequence(weights(0.2, 0.3, 0.5), weights(0.2, 0.3, 0.5), cells(RPS, None))
    assert (told.payoff.mean, told.payoff.low, told.payoff.high) == (0, 0, 0)


TRUE = np.array([[0, -30, 20, -5], [30, 0, -25, 5], [-20, 25, 0, -10], [5, -5, 10, 0]], float)


def sampled(generator: np.random.Generator, episodes: int = 10, spread: float = 40):  # type: ignore[no-untyped-def]
    found = []
    for row in range(4):
        for column in range(row):
            payoffs = generator.normal(TRUE[row, column], spread, episodes)
            known = estimate([float(value) for value in payoffs])
            found.append(CellRecord(row, column, known, "", 1, {}, {}))
    return found


def covered(known: Estimate, true: float) -> bool:
    assert known.low is not None
    assert known.high is not None
    return known.low <= true <= known.high


def test_intervals_cover_as_often_as_they_say() -> None:
    """2000 sampled matrices; the mixtures are fixed. Three standard errors of 95 % are 1.5 %."""
    generator = np.random.default_rng(11)
    old, new = weights(0.5, 0.2, 0.3), weights(0.25, 0.25, 0.2, 0.3)
    x, y = np.array([0.25, 0.25, 0.2, 0.3]), np.array([0.5, 0.2, 0.3, 0])
    hits = {"payoff": 0, "difference": 0}
    for _ in range(2000):
        told = consequence(old, new, sampled(generator))
        hits["payoff"] += covered(told.payoff, float(x @ TRUE @ y))
        hits["difference"] += covered(told.shifts[1].difference, float(TRUE[1] @ (x - y)))
    assert all(0.935 <= count / 2000 <= 0.965 for count in hits.values()), hits


@pytest.mark.parametrize("sigma", [(0.25, 0.25, 0.2, 0.3), (0, 0, 0, 1)])
def test_intervals_of_exploitability_cover_at_least_as_often(sigma: tuple[float, ...]) -> None:
    """Also where several members are equally good, which makes a resampled maximum fail."""
    generator = np.random.default_rng(12)
    true = max(0.0, float((TRUE @ np.array(sigma)).max()))
    told = [consequence(weights(*sigma), weights(*sigma), sampled(generator)) for _ in range(600)]
    hits = sum(covered(one.exploitability_after, true) for one in told)
    assert hits / 600 >= 0.935


def test_intervals_hold_nearly_as_often_when_the_mixture_was_solved_from_the_same_cells() -> None:
    """What the page shows in truth: the mixture depends on the noise that the interval is about."""
    generator = np.random.default_rng(13)
    hits = 0
    for _ in range(200):
        found = sampled(generator)
        matrix, _ = matrices(4, {(one.row, one.column): one.estimate for one in found})
        mixture = weights(*solve("nash", matrix))
        true = max(0.0, float((TRUE @ np.array(mixture.sigma)).max()))
        hits += covered(consequence(mixture, mixture, found).exploitability_after, true)
    assert hits / 200 >= 0.9


def test_intervals_of_payoffs_hold_when_both_mixtures_were_solved_from_the_same_cells() -> None:
    """Before and after the fourth policy joins. Where nothing moves, nothing is gained: exactly."""
    generator = np.random.default_rng(7)
    hits, biases = {"payoff": 0, "difference": 0}, []
    for _ in range(300):
        found = sampled(generator)
        matrix, _ = matrices(4, {(one.row, one.column): one.estimate for one in found})
        x, y = np.append(solve("nash", matrix[:3, :3]), 0.0), np.array(solve("nash", matrix))
        told = consequence(weights(*x), weights(*y), found)
        if np.allclose(x, y, atol=1e-6):
            x = y  # apart from the solver's rounding
        hits["payoff"] += covered(told.payoff, float(y @ TRUE @ x) if x is not y else 0.0)
        hits["difference"] += covered(told.shifts[1].difference, float(TRUE[1] @ (y - x)))
        biases.append(told.payoff.mean - float(y @ TRUE @ x))
    assert all(count / 300 >= 0.93 for count in hits.values()), hits
    assert 1 < np.mean(biases) < 4, "the new mixture looks better than it is"
