"""How large a change makes a child of a program: the same mixture for every game's grammar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

Recipe = TypeVar("Recipe")


def vary(
    parent: Recipe,
    partners: Sequence[Recipe],
    random: Random,
    *,
    tune: Callable[[Recipe, Random], Recipe],
    exchange: Callable[[Recipe, Random], Recipe],
    cross: Callable[[Recipe, Recipe, Random], Recipe],
) -> Recipe:
    """A small, middling or large change of ``parent``, or its cross with one of ``partners``.

    ``tune`` moves one constant, ``exchange`` one block, ``cross`` recombines two recipes.
    """
    kinds = ["tune", "tune", "exchange", "exchange", "leap", *(["cross"] * 3 if partners else [])]
    match random.choice(kinds):
        case "tune":
            return tune(parent, random)
        case "exchange":
            return exchange(parent, random)
        case "cross":
            crossed = cross(parent, random.choice(partners), random)
            return tune(crossed, random) if random.random() < 0.3 else crossed
        case _:
            for _ in range(random.randint(2, 4)):
                change = random.random() < 0.5
                parent = tune(parent, random) if change else exchange(parent, random)
            return parent
