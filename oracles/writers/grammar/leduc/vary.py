"""Children of programs in an evolution: changes of several sizes, and crosses of two parents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from random import Random
from typing import Any

from oracles.writers.grammar.children import vary
from oracles.writers.grammar.leduc.plan import (
    BLOCKS,
    ODDS,
    SUSPECT_SETS,
    Answer,
    Base,
    Memory,
    Plan,
    Reading,
)

KNOBS: Mapping[str, tuple[float, ...]] = {
    "odds": (5, 10, 20, 35, 50, 75, 100, 150, 200, 400),
    "patience": (1, 2, 3, 4, 6, 8, 12),
    "honesty": (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    "fading": (0.9, 0.93, 0.95, 0.96, 0.97, 0.98, 0.985, 0.99),
}
"""The constants that can be tuned, each with its values in order."""


def child(parent: Plan, partners: Sequence[Plan], random: Random, fitting: Plan) -> Plan:
    """A small, middling or large change of ``parent``, or its cross with one of ``partners``.

    ``fitting`` has the blocks that the opponents at hand call for.
    """
    return vary(
        parent,
        partners,
        random,
        tune=tune,
        exchange=lambda plan, draw: exchange(plan, fitting, draw),
        cross=recombine,
    )


def tune(plan: Plan, random: Random) -> Plan:
    """One constant that the program prints moves to a neighbouring value."""
    names = ["odds", "patience"]
    names += ["honesty"] * (plan.reading is Reading.HONEST)
    names += ["fading"] * (plan.memory is Memory.FADING)
    name = random.choice(names)
    value, grid = getattr(plan, name), KNOBS[name]
    nearest = min(range(len(grid)), key=lambda place: abs(grid[place] - value))
    place = max(0, min(nearest + random.choice((-2, -1, -1, 1, 1, 2)), len(grid) - 1))
    change: dict[str, Any] = {name: grid[place]}
    return replace(plan, **change)


def exchange(plan: Plan, fitting: Plan, random: Random) -> Plan:
    """One block is replaced, half the time by what the opponents call for."""
    block = random.choice(BLOCKS)
    wanted = getattr(fitting, block)
    if wanted == getattr(plan, block) or random.random() < 0.5:
        wanted = getattr(random_plan(random), block)
    change: dict[str, Any] = {block: wanted}
    return replace(plan, **change)


def recombine(mother: Plan, father: Plan, random: Random) -> Plan:
    """Each block and constant from one of two parents."""
    chosen: dict[str, Any] = {
        item.name: getattr(random.choice((mother, father)), item.name) for item in fields(Plan)
    }
    return Plan(**chosen)


def random_plan(random: Random) -> Plan:
    """Any blocks but the reading ``none``, which only opponents who ignore their cards call for."""
    return Plan(
        base=random.choice(list(Base)),
        reading=random.choice([Reading.HONEST, Reading.MEASURED]),
        memory=random.choice(list(Memory)),
        answer=random.choice(list(Answer)),
        odds=random.choice(ODDS),
        suspects=random.choice(SUSPECT_SETS),
    )
