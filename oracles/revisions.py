"""What a change of mixture means, from the cells of the payoff matrix alone.

All figures are in the game's payoff unit. Mixtures are taken as given. Where they were solved from
the same episodes, payoffs between them are biased in favour of the newer one
(docs/explanation/changes.md says by how much).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.metrics import Estimate, t_quantile
from games.tournament import matrices
from oracles.changes import ChangeRecord, Weights
from oracles.mixture import Mixture, solve_mixture
from oracles.state import CellRecord, RunState

_DRAWS = 2000
_AT_ONCE = 250
_SEED = 20260304
"""Fixed, so that the same cells always show the same interval."""

Floats = NDArray[np.float64]


def restricted_mixture(
    cells: Sequence[CellRecord], size: int, keep: Sequence[int], solver: str, seed: int
) -> Mixture:
    """The mixture over the members ``keep`` of a population of ``size``; the others get weight 0.

    Its quality is within ``keep``. With all members it is that of
    :func:`oracles.mixture.solve_mixture`.

    Raises:
        ValueError: when ``keep`` is empty or names no member.
        MetaGameError: when a cell is missing or the solver fails.
    """
    members = sorted(set(keep))
    if not members or members[0] < 0 or members[-1] >= size:
        raise ValueError(f"a mixture needs members among 0 to {size - 1}, got {members}")
    place = {member: index for index, member in enumerate(members)}
    inner = [
        replace(cell, row=place[cell.row], column=place[cell.column])
        for cell in cells
        if cell.row in place and cell.column in place
    ]
    found = solve_mixture(inner, len(members), solver, seed)

    def spread(values: tuple[float, ...]) -> tuple[float, ...]:
        weights = [0.0] * size
        for member, value in zip(members, values, strict=True):
            weights[member] = value
        return tuple(weights)

    return Mixture(
        spread(found.sigma),
        spread(found.low) if found.low else (),
        spread(found.high) if found.high else (),
        found.quality,
    )


@dataclass(frozen=True)
class Shift:
    """One member before and after. ``None``: unknown, or it was no member yet."""

    policy: int
    weight_before: float | None
    low_before: float | None
    high_before: float | None
    weight_after: float
    low_after: float | None
    high_after: float | None
    payoff_before: Estimate
    """Its payoff against the old mixture."""
    payoff_after: Estimate
    difference: Estimate
    """What the change brings it: its payoff against the new mixture minus that against the old."""


@dataclass(frozen=True)
class Consequence:
    """What going from one mixture to another did."""

    payoff: Estimate
    """Of the new mixture against the old one."""
    exploitability_before: Estimate
    """What the best member, withdrawn ones too, gains against the old mixture."""
    exploitability_after: Estimate
    shifts: tuple[Shift, ...]
    """All members, in order."""

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "shifts": [asdict(one) for one in self.shifts]}


def consequence(
    before: Weights | Mixture, after: Weights | Mixture, cells: Sequence[CellRecord]
) -> Consequence:
    """What ``after`` changed; the population may have grown between the two.

    Intervals of payoffs propagate the errors of the cells (Welch and Satterthwaite), those of
    exploitability hold for all members together. They are unknown where a cell that counts was
    played only once.

    Raises:
        MetaGameError: when a cell is missing.
    """
    size = max(len(before.sigma), len(after.sigma))
    game = _Cells.of(cells, size)
    old, new = game.mixture(before.sigma), game.mixture(after.sigma)
    return Consequence(
        payoff=game.payoff(new, old),
        exploitability_before=game.exploitability(old),
        exploitability_after=game.exploitability(new),
        shifts=tuple(_shift(game, index, before, after) for index in range(size)),
    )


def _shift(game: _Cells, index: int, before: Weights | Mixture, after: Weights | Mixture) -> Shift:
    old, new, alone = (
        game.mixture(before.sigma), game.mixture(after.sigma), game.pure(index)
    )  # fmt: skip
    return Shift(
        policy=index,
        weight_before=_at(before.sigma, index),
        low_before=_at(before.low, index),
        high_before=_at(before.high, index),
        weight_after=float(new[index]),
        low_after=_at(after.low, index),
        high_after=_at(after.high, index),
        payoff_before=game.payoff(alone, old),
        payoff_after=game.payoff(alone, new),
        difference=game.payoff(alone, new - old),
    )


def consequence_of(state: RunState, change: ChangeRecord) -> Consequence | None:
    """What a change of a run did; None while one of its mixtures is not solved.

    The withdrawn policy of a withdrawal still asks what it gains against the new mixture.
    """
    if change.old is None or change.new is None:
        return None
    size = len(change.new.sigma)
    cells = [cell for cell in state.cells if cell.row < size]
    return consequence(change.old, change.new, cells)


def _at(values: Sequence[float], index: int) -> float | None:
    return values[index] if index < len(values) else None


@dataclass(frozen=True)
class _Cells:
    """The payoff matrix with the errors of its cells, ready for linear combinations."""

    matrix: Floats
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    errors: Floats
    """Standard errors by cell; NaN where unknown."""
    degrees: Floats
    episodes: NDArray[np.intp]

    @classmethod
    def of(cls, cells: Sequence[CellRecord], size: int) -> _Cells:
        used = [cell for cell in cells if max(cell.row, cell.column) < size]
        matrix, _ = matrices(size, {(cell.row, cell.column): cell.estimate for cell in used})
        errors = [cell.estimate.standard_error for cell in used]
        return cls(
            matrix,
            np.array([cell.row for cell in used], dtype=np.intp),
            np.array([cell.column for cell in used], dtype=np.intp),
            np.array([np.nan if one is None else one for one in errors], dtype=np.float64),
            np.array([cell.estimate.episodes - 1 for cell in used], dtype=np.float64),
            np.array([cell.estimate.episodes for cell in used], dtype=np.intp),
        )

    def mixture(self, sigma: Sequence[float]) -> Floats:
        """``sigma`` over all members: those that it does not know have weight 0."""
        weights = np.zeros(len(self.matrix))
        weights[: len(sigma)] = sigma
        return weights

    def pure(self, index: int) -> Floats:
        weights = np.zeros(len(self.matrix))
        weights[index] = 1.0
        return weights

    def payoff(self, x: Floats, y: Floats) -> Estimate:
        """Of x against y: each cell counts by how much more often it is met one way round."""
        mean = float(x @ self.matrix @ y)
        shares = x[self.rows] * y[self.columns] - x[self.columns] * y[self.rows]
        used = np.abs(shares) > 1e-12
        if not used.any():  # the same mixture twice: what is left is rounding
            return Estimate(0.0, 0.0, 0.0, 0)
        episodes = int(self.episodes[used].sum())
        if np.isnan(self.errors[used]).any():
            return Estimate(mean, None, None, episodes)
        parts = (shares[used] * self.errors[used]) ** 2
        variance = float(parts.sum())
        if variance == 0.0:
            return Estimate(mean, mean, mean, episodes)
        degrees = variance**2 / float((parts**2 / self.degrees[used]).sum())
        half = t_quantile(round(degrees, 6)) * variance**0.5
        return Estimate(mean, mean - half, mean + half, episodes)

    def exploitability(self, x: Floats) -> Estimate:
        """What the best member gains against x, with an interval that holds for all at once.

        A maximum of noisy gains is biased upward, and resampling it would double that. So a band
        is laid around all gains that holds with 95 %, and the largest gain lies between the
        largest lower and the largest upper end.
        """
        gains = self.matrix @ x
        value = max(0.0, float(gains.max()))
        touched = (x[self.rows] > 0) | (x[self.columns] > 0)
        episodes = int(self.episodes[touched].sum())
        if np.isnan(self.errors[touched]).any():
            return Estimate(value, None, None, episodes)
        half = self._band(x, touched)
        low = max(0.0, float((gains - half).max()))
        return Estimate(value, min(low, value), max(float((gains + half).max()), value), episodes)

    def _band(self, x: Floats, touched: NDArray[np.bool_]) -> Floats:
        """Half widths around each member's gain that hold together with 95 %."""
        rows, columns = self.rows[touched], self.columns[touched]
        errors, degrees = self.errors[touched], self.degrees[touched]
        count = np.arange(len(rows))
        shares = np.zeros((len(rows), len(x)))
        shares[count, rows] = x[columns] * errors
        shares[count, columns] = -x[rows] * errors
        spread: Floats = np.sqrt((shares**2).sum(axis=0))
        known = spread > 0
        if not known.any():
            return np.zeros(len(x))
        generator = np.random.default_rng(_SEED)
        directions = shares[:, known] / spread[known]
        largest = [
            np.abs(generator.standard_t(degrees, size=(_AT_ONCE, len(rows))) @ directions).max(
                axis=1
            )
            for _ in range(_DRAWS // _AT_ONCE)
        ]
        return spread * float(np.quantile(np.concatenate(largest), 0.95))
