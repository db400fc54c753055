"""Every meta-solver against OpenSpiel's or the equilibrium, and what each says of itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.benchmarks.meta_solvers import openspiel_alpharank
from games.metagame import SOLVERS, MetaGameError, nash, solution, solve, weight_ranges
from games.metagame.dynamics import PRD_FLOOR, PRD_STEP, projected

RPS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
ITERATE = ["regret_matching", "prd", "fictitious_play", "shor"]


def random_matrix(size: int, seed: int, scale: float = 1.0) -> np.ndarray:
    raw = np.random.default_rng(seed).normal(size=(size, size))
    matrix = raw - raw.T
    return matrix / max(float(np.abs(matrix).max()), 1e-9) * scale


@pytest.mark.parametrize("name", SOLVERS)
@settings(max_examples=10, deadline=None)
@given(size=st.integers(1, 8), seed=st.integers(0, 10**6), zero=st.booleans())
def test_every_solver_answers_with_a_distribution(
    name: str, size: int, seed: int, zero: bool
) -> None:
    matrix = np.zeros((size, size)) if zero else random_matrix(size, seed, 500.0)
    mixture = solve(name, matrix)
    assert mixture.shape == (size,)
    assert mixture.min() >= 0
    assert mixture.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ITERATE)
@pytest.mark.parametrize("size", [3, 7, 20])
def test_the_average_of_the_iterates_is_close_to_an_equilibrium(name: str, size: int) -> None:
    found = solution(name, random_matrix(size, size, 1000.0))
    assert found.exploitability <= 10.0
    assert found.converged is (found.exploitability <= 5.0)


@pytest.mark.parametrize("name", ITERATE)
def test_where_there_is_one_equilibrium_all_find_it(name: str) -> None:
    matrix = np.array([[0.0, -1.0, 2.0], [1.0, 0.0, -1.0], [-2.0, 1.0, 0.0]]) * 300
    assert solve(name, matrix) == pytest.approx([0.25, 0.5, 0.25], abs=0.02)
    assert solve(name, matrix) == pytest.approx(nash(matrix), abs=0.02)


@pytest.mark.parametrize("name", [*ITERATE, "alpha_rank"])
def test_the_payoff_unit_does_not_matter(name: str) -> None:
    matrix = random_matrix(5, 1)
    assert solve(name, matrix * 4096) == pytest.approx(solve(name, matrix), abs=1e-9)


@pytest.mark.parametrize("size", [2, 5, 12])
def test_projected_replicator_dynamics_are_those_of_openspiel(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Longer trajectories are chaotic: they part by rounding alone.
    monkeypatch.setattr("games.metagame.dynamics.PRD_ITERATIONS", 1_000)
    from open_spiel.python.algorithms.projected_replicator_dynamics import (
        projected_replicator_dynamics,
    )

    matrix = random_matrix(size, size)
    theirs = projected_replicator_dynamics(
        [matrix, -matrix],
        prd_iterations=1_000,
        prd_dt=PRD_STEP,
        prd_gamma=PRD_FLOOR,
    )[0]
    assert solve("prd", matrix) == pytest.approx(theirs, abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-2, 2), min_size=1, max_size=9), st.floats(0, 0.1))
def test_projection_on_the_floored_simplex_is_that_of_openspiel(
    point: list[float], floor: float
) -> None:
    from open_spiel.python.algorithms.projected_replicator_dynamics import _simplex_projection

    theirs = _simplex_projection(np.array(point), floor)
    assert projected(np.array([point]), floor)[0] == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("size", [2, 5, 12, 40])
def test_alpha_rank_is_that_of_openspiel(size: int) -> None:
    matrix = random_matrix(size, size)
    matrix[0, 1] = matrix[1, 0] = 0.0  # a tie
    theirs = openspiel_alpharank().compute([matrix], use_inf_alpha=True, inf_alpha_eps=0.01)[2]
    assert solve("alpha_rank", matrix) == pytest.approx(theirs, abs=1e-9)


def test_alpha_rank_holds_the_cycle_and_leaves_what_loses_to_it() -> None:
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = RPS
    matrix[:3, 3], matrix[3, :3] = 1.0, -1.0
    ranked = solve("alpha_rank", matrix)
    assert ranked[:3] == pytest.approx([ranked[0]] * 3)
    assert ranked[3] < 0.02


def test_regret_matching_and_fictitious_play_agree_with_openspiel_on_the_value() -> None:
    import pyspiel
    from open_spiel.python.algorithms.fictitious_play import XFPSolver
    from open_spiel.python.algorithms.regret_matching import regret_matching

    matrix = np.array([[0.0, -1.0, 2.0], [1.0, 0.0, -1.0], [-2.0, 1.0, 0.0]])
    matched = regret_matching([matrix, -matrix], iterations=5_000)[0]
    assert solve("regret_matching", matrix) == pytest.approx(matched, abs=0.03)
    game = pyspiel.create_matrix_game("m", "m", [*"abc"], [*"abc"], matrix, -matrix)
    solver = XFPSolver(pyspiel.convert_to_turn_based(game))
    for _ in range(500):
        solver.iteration()
    (table,) = solver.average_policy_tables()[0].values()
    assert solve("fictitious_play", matrix) == pytest.approx(list(table.values()), abs=0.05)


@pytest.mark.parametrize("name", [*ITERATE, "alpha_rank"])
def test_a_draw_of_the_bootstrap_is_the_same_alone_or_among_others(name: str) -> None:
    stack = np.stack([random_matrix(6, seed, 100.0) for seed in range(5)])
    together = SOLVERS[name].mixtures(stack)
    for matrix, mixture in zip(stack, together, strict=True):
        assert SOLVERS[name].mixtures(matrix[None])[0] == pytest.approx(mixture, abs=1e-7)


@pytest.mark.parametrize("name", SOLVERS)
def test_weight_ranges_hold_the_weights(name: str) -> None:
    matrix = random_matrix(10, 2, 300.0)
    ranges = weight_ranges(name, matrix, np.full((10, 10), 10.0), seed=1)
    mixture = solve(name, matrix)
    held = zip(ranges.low, mixture, ranges.high, strict=True)
    assert all(low <= weight <= high for low, weight, high in held)


def test_a_solver_that_looks_for_no_equilibrium_says_what_its_mixture_loses() -> None:
    matrix = RPS * 100
    matrix[0, 1], matrix[1, 0] = -300.0, 300.0
    for name in ("uniform", "alpha_rank"):
        found = solution(name, matrix)
        assert found.converged is None
        assert found.exploitability > 10
    exact = solution("nash", matrix)
    assert exact.converged is True
    assert exact.exploitability == pytest.approx(0.0, abs=1e-6)


def test_a_mixture_that_did_not_converge_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.metagame.dynamics.PRD_ITERATIONS", 20)
    found = solution("prd", random_matrix(8, 3, 1000.0))
    assert found.converged is False
    assert found.exploitability > 5.0


@pytest.mark.parametrize("name", SOLVERS)
def test_a_matrix_that_is_none_is_an_error_that_shows_it(name: str) -> None:
    with pytest.raises(MetaGameError, match=r"antisymmetric.*\[0. 2.\]"):
        solve(name, np.array([[0.0, 2.0], [2.0, 0.0]]))
