"""Which cells of the payoff matrix to play, with which seeds, and what they say."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from games.engine import MatchEngine
from games.match import DEFAULT_BATCH_SIZE, MatchResult, MatchSpec
from games.metagame import Matrix, payoff_matrix
from games.metrics import Estimate, estimate
from games.players import Player


@dataclass(frozen=True)
class Cell:
    """A played pair: mean payoff of policy ``row`` against policy ``column``."""

    row: int
    column: int
    estimate: Estimate
    seed: int
    result: MatchResult


def derive_seed(root: int, key: str) -> int:
    """A child of ``SeedSequence(root)`` by name, in [0, 2**63): the same in any order of work."""
    digest = hashlib.sha256(key.encode()).digest()
    words = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    sequence = np.random.SeedSequence(root, spawn_key=words)
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))


def missing_cells(size: int, played: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs ``(row, column)`` with ``row > column`` that have no result yet, in order."""
    return [(i, j) for i in range(size) for j in range(i) if (i, j) not in played]


def cell_seed(root: int, row: int, column: int) -> int:
    """The seed of a cell: it depends on the run's seed and the pair alone."""
    return derive_seed(root, f"cell/{row}/{column}")


def cell_spec(
    game: str,
    params: Mapping[str, Any],
    players: Sequence[Player],
    cell: tuple[int, int],
    *,
    episodes: int,
    root_seed: int,
    batch_size: int = DEFAULT_BATCH_SIZE,
) -> MatchSpec:
    """The match that fills a cell."""
    row, column = cell
    return MatchSpec(
        game=game,
        a=players[row],
        b=players[column],
        episodes=episodes,
        seed=cell_seed(root_seed, row, column),
        params=params,
        batch_size=batch_size,
    )


def play_cells(
    engine: MatchEngine,
    game: str,
    params: Mapping[str, Any],
    players: Sequence[Player],
    cells: Sequence[tuple[int, int]],
    *,
    episodes: int,
    root_seed: int,
    should_stop: Callable[[], bool] | None = None,
) -> list[Cell]:
    """Play the given cells.

    Raises:
        MatchCancelled: when ``should_stop`` said so.
    """
    specs = [
        cell_spec(game, params, players, cell, episodes=episodes, root_seed=root_seed)
        for cell in cells
    ]
    results = engine.play(specs, should_stop=should_stop)
    return [
        Cell(row, column, estimate(result.payoffs), spec.seed, result)
        for (row, column), spec, result in zip(cells, specs, results, strict=True)
    ]


def matrices(size: int, cells: Mapping[tuple[int, int], Estimate]) -> tuple[Matrix, Matrix]:
    """The payoff matrix and the standard errors of its cells (NaN where unknown).

    Raises:
        MetaGameError: when a pair was not played.
    """
    means = payoff_matrix(size, {cell: value.mean for cell, value in cells.items()})
    errors = np.zeros((size, size))
    for (row, column), value in cells.items():
        known = value.standard_error
        errors[row, column] = errors[column, row] = np.nan if known is None else known
    return means, errors
