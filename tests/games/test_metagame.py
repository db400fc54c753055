"""The mixtures are equilibria, the flattest among them, and failures are told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.metagame import (
    MetaGameError,
    exploitability,
    nash,
    payoff_matrix,
    solve,
    uniform,
    weight_ranges,
)

RPS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


def antisymmetric(values: list[float], size: int) -> np.ndarray:
    matrix = np.zeros((size, size))
    matrix[np.tril_indices(size, -1)] = values
    return matrix - matrix.T


matrices = st.integers(1, 7).flatmap(
    lambda size: st.lists(
        st.one_of(st.integers(-3, 3), st.floats(-1000, 1000)),
        min_size=size * (size - 1) // 2,
        max_size=size * (size - 1) // 2,
    ).map(lambda values: antisymmetric([float(v) for v in values], size))
)


@settings(max_examples=150, deadline=None)
@given(matrices)
def test_nash_is_a_mixture_that_no_policy_gains_against(matrix: np.ndarray) -> None:
    mixture = nash(matrix)
    scale = max(1e-300, float(np.abs(matrix).max()))
    assert mixture.min() >= 0
    assert mixture.sum() == pytest.approx(1)
    assert exploitability(matrix, mixture) <= 1e-6 * scale


@settings(max_examples=50, deadline=None)
@given(matrices, st.floats(0.001, 1000))
def test_nash_does_not_depend_on_the_payoff_unit(matrix: np.ndarray, unit: float) -> None:
    assert exploitability(matrix, nash(matrix * unit)) <= 1e-6 * max(1, np.abs(matrix).max())


def test_rock_paper_scissors_is_played_evenly() -> None:
    assert nash(RPS) == pytest.approx([1 / 3] * 3)


def test_among_equilibria_the_one_of_maximum_entropy_is_taken() -> None:
    assert nash(np.zeros((4, 4))) == pytest.approx([1 / 4] * 4)
    # Two policies that tie and both beat a third one.
    tie = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [-1.0, -1.0, 0.0]])
    assert nash(tie) == pytest.approx([0.5, 0.5, 0.0])
    # Rock twice: the two copies share what one rock would get.
    twins = RPS[np.ix_([0, 1, 2, 0], [0, 1, 2, 0])]
    assert nash(twins) == pytest.approx([1 / 6, 1 / 3, 1 / 3, 1 / 6], abs=1e-5)


def test_a_dominant_policy_is_played_alone_with_exact_zeros() -> None:
    matrix = antisymmetric([5.0, 3.0, -2.0], 3)
    mixture = nash(matrix)
    assert sorted(mixture) == [0.0, 0.0, 1.0]
    assert exploitability(matrix, mixture) == 0.0


def test_exploitability_within_the_population_is_the_best_reply() -> None:
    assert exploitability(RPS, np.array([1.0, 0.0, 0.0])) == 1.0
    assert exploitability(RPS, uniform(RPS)) == pytest.approx(0.0)


def test_a_matrix_that_is_none_is_an_error_that_shows_it() -> None:
    with pytest.raises(MetaGameError, match=r"antisymmetric.*\[0. 2.\]"):
        nash(np.array([[0.0, 2.0], [2.0, 0.0]]))
    with pytest.raises(MetaGameError, match="finite"):
        nash(np.array([[0.0, np.nan], [np.nan, 0.0]]))
    with pytest.raises(MetaGameError, match="square"):
        uniform(np.zeros((2, 3)))
    with pytest.raises(MetaGameError, match="nash, uniform, regret_matching"):
        solve("jpsro", RPS)


def test_the_payoff_matrix_takes_each_pair_once_and_misses_none() -> None:
    assert payoff_matrix(2, {(1, 0): 3.0}).tolist() == [[0.0, -3.0], [3.0, 0.0]]
    with pytest.raises(MetaGameError, match=r"\(2, 0\)"):
        payoff_matrix(3, {(1, 0): 1.0, (2, 1): 1.0})
    with pytest.raises(MetaGameError, match="do not agree"):
        payoff_matrix(2, {(1, 0): 1.0, (0, 1): 1.0})


def test_weight_ranges_hold_the_weights_and_widen_with_the_noise() -> None:
    scaled = RPS * 100
    exact = weight_ranges("nash", scaled, np.zeros((3, 3)), seed=1, draws=5)
    assert exact.low == pytest.approx([1 / 3] * 3)
    assert exact.high == pytest.approx([1 / 3] * 3)
    noisy = weight_ranges("nash", scaled, np.full((3, 3), 30.0), seed=1, draws=30)
    assert all(low < 0.25 and high > 0.4 for low, high in zip(noisy.low, noisy.high, strict=True))
    assert noisy == weight_ranges("nash", scaled, np.full((3, 3), 30.0), seed=1, draws=30)
