"""Children of programs in an evolution: changes of several sizes, and crosses of two parents."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from oracles.writers.grammar.children import vary
from oracles.writers.grammar.rrps.predictors import CORE, MIRROR, PREDICTORS
from oracles.writers.grammar.rrps.recipe import Recipe

MAX_PREDICTORS = 14


@dataclass(frozen=True)
class Knob:
    """A constant that can be tuned: a number of ``grid``, or with ``most`` a tuple of them."""

    name: str
    grid: tuple[float, ...]
    most: int = 0
    """Longest tuple; 0 for a single number."""


KNOBS = (
    Knob("memories", (0.8, 0.85, 0.88, 0.9, 0.92, 0.94, 0.96, 0.97, 0.98, 0.99, 0.994, 0.997), 3),
    Knob("endings", (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25), 6),
    Knob("sharpness", (2, 3, 4, 5)),
    Knob("patience", (4, 6, 8, 10, 12, 15)),
    Knob("proof", (5, 6, 7, 8, 9, 10, 12)),
)


def child(
    parent: Recipe, partners: Sequence[Recipe], rng: random.Random, wanted: Sequence[str]
) -> Recipe:
    """A small, middling or large change of ``parent``, or its cross with one of ``partners``.

    ``wanted`` names what answers the opponents at hand: predictors, and perhaps the mirror.
    """
    return vary(
        parent,
        partners,
        rng,
        tune=tune,
        exchange=lambda recipe, draw: exchange(recipe, draw, wanted),
        cross=recombine,
    )


def tune(recipe: Recipe, rng: random.Random) -> Recipe:
    """One constant moves to a neighbouring value; a list of them may grow or shrink by one."""
    knob = rng.choice(KNOBS)
    value: Any = getattr(recipe, knob.name)
    tuned = _tune_list(list(value), knob, rng) if knob.most else _step(value, knob, rng)
    change: dict[str, Any] = {knob.name: tuned}
    return replace(recipe, **change).normal()


def _tune_list(numbers: list[float], knob: Knob, rng: random.Random) -> tuple[float, ...]:
    place, draw = rng.randrange(len(numbers)), rng.random()
    if draw < 0.2 and len(numbers) > 1:
        del numbers[place]
    elif draw < 0.4 and len(numbers) < knob.most:
        numbers.append(rng.choice(knob.grid))
    else:
        numbers[place] = _step(numbers[place], knob, rng)
    return tuple(numbers)


def _step(value: float, knob: Knob, rng: random.Random) -> float:
    """A value of the grid one or two places from ``value``, which need not be on the grid."""
    nearest = min(range(len(knob.grid)), key=lambda place: abs(knob.grid[place] - value))
    place = nearest + rng.choice((-2, -1, -1, 1, 1, 2))
    return knob.grid[max(0, min(place, len(knob.grid) - 1))]


def exchange(recipe: Recipe, rng: random.Random, wanted: Sequence[str] = ()) -> Recipe:
    """One predictor more, less or another one, half the time a wanted one; or mirror on or off."""
    if rng.random() < (0.4 if MIRROR in wanted and not recipe.mirror else 0.1):
        return replace(recipe, mirror=not recipe.mirror)
    spare = [name for name in recipe.predictors if name not in CORE]
    absent = [block.name for block in PREDICTORS if block.name not in recipe.predictors]
    answers = [name for name in wanted if name in absent]
    change = rng.choice(("add", "drop", "swap"))
    predictors = list(recipe.predictors)
    if change != "add" and spare:
        predictors.remove(rng.choice(spare))
    if change != "drop" and absent and len(predictors) < MAX_PREDICTORS:
        predictors.append(rng.choice(answers if answers and rng.random() < 0.5 else absent))
    return replace(recipe, predictors=tuple(predictors))


def recombine(parent: Recipe, other: Recipe, rng: random.Random) -> Recipe:
    """The core, what both have, by chance what one has; constants from either."""
    either = [*parent.predictors, *(n for n in other.predictors if n not in parent.predictors)]
    shared = set(parent.predictors) & set(other.predictors)
    chosen = [name for name in either if name in shared or name in CORE or rng.random() < 0.5]
    constants: dict[str, Any] = {
        knob.name: getattr(rng.choice((parent, other)), knob.name) for knob in KNOBS
    }
    mirror = rng.choice((parent, other)).mirror
    return Recipe(tuple(chosen[:MAX_PREDICTORS]), **constants, mirror=mirror)
