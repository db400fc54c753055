"""V-trace against what follows from its definition, not from another implementation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from oracles.baselines.impala.vtrace import vtrace

GAMMA = 0.9


def column(*numbers: float) -> NDArray[np.float32]:
    return np.array(numbers, dtype=np.float32)[:, None]


def test_on_policy_it_is_the_n_step_return_with_the_bootstrap_counted_once() -> None:
    """With all ratios 1 the corrections telescope (equation 2 of the paper)."""
    rewards, values = column(1, -2, 3), column(0.5, 4, -1, 10)
    targets, advantages = vtrace(
        rewards=rewards,
        values=values,
        discounts=column(GAMMA, GAMMA, GAMMA),
        log_rhos=column(0, 0, 0),
    )
    last = 3 + GAMMA * 10
    middle = -2 + GAMMA * last
    first = 1 + GAMMA * middle
    assert targets[:, 0] == pytest.approx([first, middle, last], rel=1e-5)
    assert advantages[:, 0] == pytest.approx([first - 0.5, middle - 4, last + 1], rel=1e-5)


def test_ratios_above_one_are_clipped_and_small_ones_cut_the_trace() -> None:
    values = column(1, 2, 4)
    targets, advantages = vtrace(
        rewards=column(1, 1),
        values=values,
        discounts=column(GAMMA, GAMMA),
        log_rhos=np.log(column(0.5, 3)),
    )
    second = 1 + GAMMA * 4  # its ratio of 3 counts as 1
    first = 1 + 0.5 * (1 + GAMMA * 2 - 1) + GAMMA * 0.5 * (second - 2)
    assert targets[:, 0] == pytest.approx([first, second], rel=1e-5)
    assert advantages[0, 0] == pytest.approx(0.5 * (1 + GAMMA * second - 1), rel=1e-5)


def test_the_end_of_an_episode_is_worth_nothing_and_padding_changes_nothing() -> None:
    short = vtrace(
        rewards=column(1, -1),
        values=column(3, 5, 7),
        discounts=column(GAMMA, 0),
        log_rhos=column(-0.1, -0.2),
    )
    padded = vtrace(
        rewards=column(1, -1, 0, 0),
        values=column(3, 5, 99, -99, 50),
        discounts=column(GAMMA, 0, 0, 0),
        log_rhos=column(-0.1, -0.2, 5, -5),
    )
    for whole, part in zip(padded, short, strict=True):
        assert whole[:2, 0] == pytest.approx(part[:, 0], rel=1e-5)
