"""The LP Nash solver against OpenSpiel's projected replicator dynamics."""

from __future__ import annotations

import time

import numpy as np

from games.benchmarks.rows import Row
from games.metagame import exploitability, nash

_ITERATIONS = 10_000


def nash_rows() -> list[Row]:
    """Milliseconds per solution, with the exploitability that each solver reaches."""
    return [_row(size) for size in (20, 50)]


def _row(size: int) -> Row:
    from open_spiel.python.algorithms.projected_replicator_dynamics import (
        projected_replicator_dynamics,
    )

    generator = np.random.default_rng(size)
    raw = generator.normal(scale=100.0, size=(size, size))
    matrix = (raw - raw.T) / 2
    nash(matrix[:2, :2])  # loads scipy.optimize
    started = time.perf_counter()
    ours = nash(matrix)
    our_seconds = time.perf_counter() - started
    started = time.perf_counter()
    peer = projected_replicator_dynamics([matrix, -matrix], prd_iterations=_ITERATIONS)[0]
    peer_seconds = time.perf_counter() - started
    return Row(
        name=f"metagame-{size}",
        ours=our_seconds * 1000,
        peer=peer_seconds * 1000,
        ratio=peer_seconds / our_seconds,
        target=None,
        unit="ms",
        note=(
            f"{size} x {size} random antisymmetric matrix; exploitability "
            f"{exploitability(matrix, ours):.1e} against {exploitability(matrix, peer):.1e}; peer: "
            f"OpenSpiel's projected replicator dynamics, {_ITERATIONS} iterations"
        ),
    )
