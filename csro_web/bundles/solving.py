"""The mixture before and after leaving policies out, and what that costs, from cells alone.

Used where a bundle is made and where it is checked: the same cells give the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from csro_web.bundles.matches import Samples, full_estimate_row
from oracles.mixture import Mixture
from oracles.revisions import consequence, restricted_mixture
from oracles.state import CellRecord


def cell_records(cells: Sequence[Mapping[str, Any]], samples: Samples) -> list[CellRecord]:
    """Cells ``{"row", "column", "match"}`` with the payoffs of their matches."""
    return [
        CellRecord(
            row=cell["row"],
            column=cell["column"],
            estimate=samples[cell["match"]].estimate,
            match_key=cell["match"],
            seed=0,
            faults_row={},
            faults_column={},
            payoffs=samples[cell["match"]].payoffs,
            bound=samples[cell["match"]].bound,
        )
        for cell in cells
    ]


def mixture_rows(
    cells: Sequence[CellRecord],
    *,
    size: int,
    active: Sequence[int],
    keep: Sequence[int],
    solver: str,
    seed: int,
) -> dict[str, Any]:
    """``full`` over the ``active`` members, ``exported`` over ``keep``, and the ``cost``.

    Both are solved from the cells, neither is a part of the other. Weights are by index, 0 for
    those that are left out. Exploitability is within the ``size`` members of the population, in
    the game's payoff unit.

    Raises:
        MetaGameError: when a cell is missing or the solver fails.
    """
    full = restricted_mixture(cells, size, active, solver, seed)
    exported = restricted_mixture(cells, size, keep, solver, seed)
    meaning = consequence(full, exported, cells)
    return {
        "solver": solver,
        "seed": seed,
        "full": {"members": list(active), **_weights(full)},
        "exported": {"members": list(keep), **_weights(exported)},
        "cost": {
            "payoff_against_full": full_estimate_row(meaning.payoff),
            "exploitability_before": full_estimate_row(meaning.exploitability_before),
            "exploitability_after": full_estimate_row(meaning.exploitability_after),
        },
    }


def _weights(mixture: Mixture) -> dict[str, Any]:
    return {
        "weights": list(mixture.sigma),
        "low": list(mixture.low),
        "high": list(mixture.high),
    }
