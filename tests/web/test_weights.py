"""The weights that the review queue is ordered by are those of the newest mixture."""

from __future__ import annotations

import pytest

from csro_web.policies.models import UNKNOWN_URGENCY
from csro_web.runs import weights
from csro_web.runs.weights import Mixture
from tests.web import builders

pytestmark = pytest.mark.django_db


def test_a_policy_that_no_mixture_knows_has_no_weight_and_comes_first() -> None:
    run = builders.make_run()
    for number in range(3):
        builders.add_policy(run, f"x = {number}\n", name=f"p{number}")
    weights.save(run, Mixture((0.25, 0.75), (0.2, 0.6), (0.3, 0.9)))
    first, second, newest = run.policies.order_by("index")
    assert (first.weight, first.weight_low, first.weight_high) == (0.25, 0.2, 0.3)
    assert second.urgency == 0.9
    assert (newest.weight, newest.weight_low, newest.weight_high) == (None, None, None)
    assert newest.urgency == UNKNOWN_URGENCY


def test_a_weight_without_a_range_is_known_but_urgent() -> None:
    run = builders.make_run()
    policy = builders.add_policy(run, "x = 1\n", name="alone")
    weights.save(run, Mixture((1.0,)))
    policy.refresh_from_db()
    assert (policy.weight, policy.weight_high, policy.urgency) == (1.0, None, UNKNOWN_URGENCY)


def test_what_the_next_mixture_says_replaces_what_the_last_one_said() -> None:
    run = builders.make_run()
    policy = builders.add_policy(run, "x = 1\n", name="alone")
    weights.save(run, Mixture((1.0,), (1.0,), (1.0,)))
    weights.save(run, Mixture((0.0,), (0.0,), (0.02,)))
    policy.refresh_from_db()
    assert (policy.weight, policy.urgency) == (0.0, 0.02)
