"""The mixture over a population says how sure it is, or that it does not know."""

from __future__ import annotations

import json

import pytest

from games.metagame import SOLVERS
from games.metrics import estimate
from oracles.mixture import mixture_json, read_mixture, solve_mixture
from oracles.state import CellRecord


def cells(*payoffs: tuple[float, ...]) -> list[CellRecord]:
    pairs = [(row, column) for row in range(3) for column in range(row)]
    return [
        CellRecord(row, column, estimate(found), "", 0, {}, {}, found)
        for (row, column), found in zip(pairs, payoffs, strict=True)
    ]


def test_weights_have_ranges_once_every_cell_has_an_interval() -> None:
    found = solve_mixture(cells((9, 11), (-9, -11), (10, 12)), 3, "nash", seed=1)
    assert len(found.low) == len(found.high) == len(found.sigma) == 3
    assert any(low < high for low, high in zip(found.low, found.high, strict=True))


def test_ranges_are_unknown_and_not_of_zero_width_when_a_cell_was_played_once() -> None:
    found = solve_mixture(cells((10.0,), (-9, -11), (10, 12)), 3, "nash", seed=1)
    assert abs(sum(found.sigma) - 1) < 1e-9
    assert (found.low, found.high) == ((), ())


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_mixture_keeps_what_a_policy_gains_against_it_as_json(solver: str) -> None:
    found = solve_mixture(cells((9, 11), (-9, -11), (10, 12)), 3, solver, seed=1)
    assert found.quality is not None
    assert found.quality.solver == solver
    assert found.quality.exploitability >= 0
    assert (found.quality.converged is None) == (solver in ("uniform", "alpha_rank"))
    stored = json.loads(json.dumps(mixture_json(found)))
    assert read_mixture(stored) == found


def test_results_from_before_the_quality_was_kept_can_still_be_read() -> None:
    assert read_mixture({"sigma": [1.0], "low": [], "high": []}).quality is None
