"""The 43 x 43 table of the RoShamBo bots, played again and compared with the published one."""

from __future__ import annotations

import csv
import math
from pathlib import Path

from games.benchmarks.rows import Row
from games.local_engine import LocalEngine
from games.match import MatchResult, MatchSpec
from games.metrics import t_quantile
from games.players import BotPlayer
from games.tournament import derive_seed

EPISODES = 128
_PUBLISHED_EPISODES = 1000
"""Matches behind each published mean, inferred and not stated there.

Means are multiples of 1/1000, and randbot's row scatters as means of about 1100 matches would (one
standard error: 900 to 1400).
"""


def read_table(path: Path) -> tuple[list[str], dict[tuple[str, str], float]]:
    """Names in order and mean payoff by (row, column).

    Raises:
        OSError: when the file cannot be read.
        ValueError: when it is no square table.
    """
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    names = rows[0][1:]
    if [row[0] for row in rows[1:]] != names:
        raise ValueError(f"{path} is not a square table with the same names on both sides")
    return names, {
        (row[0], name): float(value)
        for row in rows[1:]
        for name, value in zip(names, row[1:], strict=True)
    }


def compare(path: Path, *, episodes: int = EPISODES, workers: int = 2, seed: int = 1) -> list[Row]:
    """How many cells agree with the published table, and whether any is far off."""
    names, published = read_table(path)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i:]]
    specs = [
        MatchSpec("rrps", BotPlayer(a), BotPlayer(b), episodes, derive_seed(seed, f"{a}/{b}"))
        for a, b in pairs
    ]
    with LocalEngine(workers=workers) as engine:
        results = engine.play(specs)
    inside = outside_bonferroni = cells = 0
    critical = t_quantile(episodes - 1)
    bonferroni = _normal_quantile(1 - 0.025 / len(published))
    for (a, b), result in zip(pairs, results, strict=True):
        for row, column, sign in {(a, b, 1), (b, a, -1 if a != b else 1)}:
            distance, error = _distance(result, sign, published[row, column])
            cells += 1
            inside += distance <= critical * error + 0.0005
            outside_bonferroni += distance > bonferroni * error + 0.0005
    seconds = sum(result.seconds for result in results)
    note = (
        f"{episodes} episodes a pair, {seconds:.0f} s of play; the published means are taken to be "
        f"of {_PUBLISHED_EPISODES} matches each"
    )
    return [
        Row("rrps-table-inside", inside, cells, inside, 1720, "cells", f"inside 95 %; {note}"),
        Row(
            "rrps-table-outside",
            outside_bonferroni,
            cells,
            outside_bonferroni,
            0,
            "cells",
            "outside the Bonferroni bound",
            at_most=True,
        ),
    ]


def _distance(result: MatchResult, sign: int, published: float) -> tuple[float, float]:
    """Distance of the means, and the standard error of their difference."""
    count = len(result.payoffs)
    variance = sum((payoff - result.mean) ** 2 for payoff in result.payoffs) / (count - 1)
    error = math.sqrt(variance * (1 / count + 1 / _PUBLISHED_EPISODES))
    return abs(sign * result.mean - published), error


def _normal_quantile(probability: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(probability)
