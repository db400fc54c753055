"""When a search goes on, what it keeps, and when it stops."""

from __future__ import annotations

import pytest

from games.metrics import weighted_mean
from oracles.linear_refinement import LinearRefinement
from oracles.search import Attempt, Attempts, Search
from oracles.zero_shot import ZeroShot

WEIGHTS = [0.75, 0.25]


def played(*payoffs: tuple[float, ...], fit: bool = True) -> Attempt:
    return Attempt(fit, weighted_mean(payoffs, WEIGHTS), payoffs, bounds=(1000.0,) * len(payoffs))


UNFIT = Attempt(False, None, ())
WEAK = played((-10, -20), (0, 10))
BETTER = played((-5, -10), (0, 10))
STRONG = played((50, 60), (70, 90))


def search(attempts: Attempts, target: float = 0.0) -> Search:
    return LinearRefinement(weights=WEIGHTS, limit=4, target=target).search(attempts)


def test_zero_shot_ends_after_one_proposal_whatever_became_of_it() -> None:
    assert not ZeroShot().search([]).finished
    assert ZeroShot().search([WEAK]).incumbent == 0
    refused = ZeroShot().search([UNFIT])
    assert refused.finished
    assert refused.incumbent is None


def test_refinement_goes_on_below_its_target_and_stops_at_it() -> None:
    assert not search([]).finished
    assert not search([WEAK, BETTER]).finished
    reached = search([WEAK, STRONG])
    assert reached.finished
    assert reached.incumbent == 1
    assert "target" in reached.reason


def test_a_higher_target_asks_for_more_proposals() -> None:
    assert not search([STRONG], target=1000.0).finished


def test_only_a_positive_paired_difference_replaces_the_incumbent() -> None:
    result = search([BETTER, WEAK, UNFIT])
    assert result.incumbent == 0
    assert [judgement.improved for judgement in result.judgements] == [True, False, None]
    assert [judgement.parent for judgement in result.judgements] == [None, 0, 0]
    difference = result.judgements[1].paired_difference
    assert difference is not None
    assert difference.mean == pytest.approx(0.75 * -7.5)


def test_equal_results_keep_the_incumbent() -> None:
    assert search([WEAK, WEAK]).incumbent == 0


def test_search_stops_after_its_proposals_with_or_without_a_fit_one() -> None:
    assert search([WEAK] * 4).finished
    failed = search([UNFIT] * 4)
    assert failed.finished
    assert failed.incumbent is None
