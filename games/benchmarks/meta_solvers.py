"""The meta-solvers against OpenSpiel's, on random antisymmetric matrices."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from games.benchmarks.rows import Row
from games.metagame import Matrix, Vector, exploitability, solution, weight_ranges
from games.metagame.dynamics import PRD_ITERATIONS, PRD_STEP, REGRET_ITERATIONS

SIZES = (10, 50)
_XFP_ITERATIONS = 100
"""One in a hundred of ours: the peer walks the whole game tree in each of them."""


def meta_solver_rows() -> list[Row]:
    """Milliseconds per solution, with the exploitability that each solver reaches."""
    return [_row(name, size) for size in SIZES for name in _PEERS]


def openspiel_alpharank() -> Any:
    """OpenSpiel's ``alpharank``, whose drawing part needs matplotlib and is not wanted here."""
    drawing = "open_spiel.python.egt.alpharank_visualizer"
    sys.modules.setdefault(drawing, ModuleType(drawing))
    from open_spiel.python.egt import alpharank

    return alpharank


def _row(name: str, size: int) -> Row:
    peer_name, peer = _PEERS[name]
    generator = np.random.default_rng(size)
    raw = generator.normal(scale=100.0, size=(size, size))
    matrix = (raw - raw.T) / 2
    matrix /= np.abs(matrix).max()
    solution(name, matrix[:2, :2])  # loads what is loaded late
    ours, our_seconds = _timed(lambda: solution(name, matrix).mixture)
    theirs, peer_seconds = _timed(lambda: peer(matrix))
    _, bootstrap = _timed(
        lambda: weight_ranges(name, matrix, np.full(matrix.shape, 0.01), seed=size)
    )
    return Row(
        name=f"{name}-{size}",
        ours=our_seconds * 1000,
        peer=peer_seconds * 1000,
        ratio=peer_seconds / our_seconds,
        target=None,
        unit="ms",
        note=(
            f"{size} x {size}, largest payoff 1; exploitability "
            f"{exploitability(matrix, ours):.1e} against {exploitability(matrix, theirs):.1e}; "
            f"bootstrap of 50 draws {bootstrap:.2f} s; peer: {peer_name}"
        ),
    )


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    started = time.perf_counter()
    found = work()
    return found, time.perf_counter() - started


def _prd(matrix: Matrix) -> Vector:
    from open_spiel.python.algorithms import projected_replicator_dynamics as module

    found = module.projected_replicator_dynamics(
        [matrix, -matrix], prd_iterations=PRD_ITERATIONS, prd_dt=PRD_STEP
    )
    return np.asarray(found[0])


def _regret_matching(matrix: Matrix) -> Vector:
    from open_spiel.python.algorithms.regret_matching import regret_matching

    return np.asarray(regret_matching([matrix, -matrix], iterations=REGRET_ITERATIONS)[0])


def _fictitious_play(matrix: Matrix) -> Vector:
    import pyspiel
    from open_spiel.python.algorithms import fictitious_play

    names = [str(index) for index in range(len(matrix))]
    game = pyspiel.create_matrix_game(
        "meta", "meta-game", names, names, matrix.tolist(), (-matrix).tolist()
    )
    solver = fictitious_play.XFPSolver(pyspiel.convert_to_turn_based(game))
    for _ in range(_XFP_ITERATIONS):
        solver.iteration()
    (table,) = solver.average_policy_tables()[0].values()
    return np.array([table[index] for index in range(len(matrix))])


def _alpha_rank(matrix: Matrix) -> Vector:
    return np.asarray(openspiel_alpharank().compute([matrix], use_inf_alpha=True)[2])


_PEERS: dict[str, tuple[str, Callable[[Matrix], Vector]]] = {
    "nash": ("OpenSpiel's projected replicator dynamics", _prd),
    "prd": ("OpenSpiel's, with the same step and iterations", _prd),
    "regret_matching": ("OpenSpiel's regret matching, as many iterations", _regret_matching),
    "shor": ("OpenSpiel's regret matching, as many iterations", _regret_matching),
    "fictitious_play": (f"OpenSpiel's, {_XFP_ITERATIONS} iterations", _fictitious_play),
    "alpha_rank": ("OpenSpiel's, one population", _alpha_rank),
}
