"""Which programs of an island are developed further, and which are worth full matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from games.behaviour import Axis
from oracles.alpha_evolve.archive import Island, Program
from oracles.alpha_evolve.cells import Cell, cell_of
from oracles.search import Screening

BY_FITNESS = 0.7
"""Share of the parents that is drawn by fitness; the rest is drawn by novelty."""
NEIGHBOURS = 3
AMONG_THE_BEST = 3
Place = tuple[float, ...] | None
"""Figures of behaviour, each in [0, 1]; None when one of them is unknown."""


def choose(
    programs: Sequence[Program], places: Sequence[Place], seed: int
) -> tuple[int | None, tuple[int, ...]]:
    """Indexes of a parent and of up to two inspirations; None and nothing without programs.

    ``programs`` are ranked, ``places`` theirs in behaviour (:func:`scaled`). By fitness, each
    program is half as likely as the one above it. By novelty, the chance grows with the distance to
    its nearest neighbours. The inspirations are the best other program and any further one.
    """
    parent, inspirations = _draw(tuple(places), seed)
    index = None if parent is None else programs[parent].index
    return index, tuple(programs[position].index for position in inspirations)


def scaled(island: Island, axes: Sequence[Axis]) -> list[Place]:
    """Where the island's ranked programs are in behaviour, each axis scaled to [0, 1]."""
    return [_place(program.screening.behaviour, axes) for program in island.ranked]


def _place(behaviour: Sequence[float | None], axes: Sequence[Axis]) -> Place:
    known = [value for value in behaviour if value is not None]
    if not axes or len(known) < len(axes):
        return None
    pairs = zip(axes, known, strict=True)
    return tuple((value - axis.low) / (axis.high - axis.low) for axis, value in pairs)


@lru_cache(maxsize=100_000)
def _draw(places: tuple[Place, ...], seed: int) -> tuple[int | None, tuple[int, ...]]:
    """Ranks of parent and inspirations. Cached by content: a run is folded again and again."""
    if not places:
        return None, ()
    generator = np.random.default_rng(seed)
    by_fitness = _shares(np.power(0.5, np.arange(len(places), dtype=np.float64)))
    chances = BY_FITNESS * by_fitness + (1 - BY_FITNESS) * _shares(novelty(places))
    parent = int(generator.choice(len(places), p=chances / chances.sum()))
    others = [position for position in range(len(places)) if position != parent]
    picked = others[:1]
    if len(others) > 1:
        picked.append(others[1 + int(generator.integers(len(others) - 1))])
    return parent, tuple(picked)


def novelty(places: Sequence[Place]) -> NDArray[np.float64]:
    """Mean distance to the nearest other places, shape (places,).

    Zero where the place is unknown or there is nobody else.
    """
    found = np.zeros(len(places))
    known = [position for position, place in enumerate(places) if place is not None]
    if len(known) < 2:
        return found
    points = np.array([places[position] for position in known], dtype=np.float64)
    distances = np.linalg.norm(points[:, None] - points[None, :], axis=2)
    distances.sort(axis=1)
    found[known] = distances[:, 1 : NEIGHBOURS + 1].mean(axis=1)
    return found


def _shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    total = weights.sum()
    if total <= 0:
        return np.full(len(weights), 1 / len(weights))
    shares: NDArray[np.float64] = weights / total
    return shares


@dataclass(frozen=True)
class Bar:
    """What a screened program must reach to be played in full.

    It is compared on the screening's own episodes, which all programs share: it must fall into a
    cell that its island lacks, beat the elite of its cell, or be among the island's best three. A
    program that played just as an elite did is the same program in other words, and needs no more.
    """

    axes: tuple[Axis, ...]
    elites: Mapping[Cell, Screening]
    """What the screening said of the island's elites, by cell."""

    @classmethod
    def of(cls, island: Island, axes: Sequence[Axis]) -> Bar:
        return cls(tuple(axes), {cell: item.screening for cell, item in island.elites.items()})

    def __call__(self, screening: Screening) -> bool:
        mean, cell = screening.score.mean, cell_of(self.axes, screening)
        if any(_same_play(screening, elite) for elite in self.elites.values()):
            return False
        if cell not in self.elites or mean > self.elites[cell].score.mean:
            return True
        means = sorted((elite.score.mean for elite in self.elites.values()), reverse=True)
        return mean >= means[:AMONG_THE_BEST][-1]


def _same_play(one: Screening, other: Screening) -> bool:
    known = None not in one.behaviour
    return known and (one.score, one.behaviour) == (other.score, other.behaviour)
