"""Propose, mutate and recombine plans: a pure function of the request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, product
from random import Random

from oracles.config import ContextMode
from oracles.task import Feedback, OpponentView, WriteRequest
from oracles.writers.grammar.leduc.analysis import Traits, read_opponent
from oracles.writers.grammar.leduc.plan import (
    MAX_SUSPECTS,
    ODDS,
    SUSPECT_SETS,
    Answer,
    Base,
    Memory,
    Plan,
    Reading,
    Suspect,
)
from oracles.writers.grammar.leduc.printing import print_program
from oracles.writers.grammar.leduc.recognise import plan_of
from oracles.writers.grammar.leduc.vary import child, exchange, random_plan, recombine

RECOMBINATION_SHARE = 0.3


class GrammarExhausted(ValueError):
    """Every program of the grammar has been proposed for this task already."""


def compose(request: WriteRequest) -> str:
    """Source of the next proposal.

    It is never one of the history, the incumbent, an inspiration or a shown opponent. A parent that
    the grammar did not write is passed over: the next readable one takes its place, and without any
    the plan that fits the opponents is printed.

    Raises:
        GrammarExhausted: when there is no other program left.
    """
    random = Random(request.seed)  # noqa: S311 (a search, not a secret)
    shown = () if request.context is ContextMode.NONE else request.opponents
    fitting = _fitting_plan(_by_importance(shown, request.history), random)
    parents = _plans([request.incumbent, *request.inspirations])
    told = {*parents, *_plans([feedback.source for feedback in request.history])}
    told |= set(_plans([opponent.code for opponent in shown]))
    if request.inspirations and parents:
        proposals = _children(parents, fitting, random)
    else:
        proposals = _refinements(fitting, parents[0] if parents else None, request.history, random)
    for plan in chain(proposals, _everything(random)):
        if plan.normal() not in told:
            return print_program(plan.normal())
    raise GrammarExhausted(f"all {len(told)} programs of the Leduc grammar have been proposed")


def _plans(sources: Sequence[str | None]) -> list[Plan]:
    """The plans of those sources that this grammar wrote."""
    read = [plan_of(source) for source in sources if source is not None]
    return [plan for plan in read if plan is not None]


def _by_importance(
    opponents: Sequence[OpponentView], history: Sequence[Feedback]
) -> list[tuple[float, Traits]]:
    """(weight, traits); an opponent that the last proposal lost to counts twice."""
    last = history[-1].per_opponent if history else {}
    return [
        (
            opponent.weight * (2.0 if last.get(opponent.name, 0.0) < 0 else 1.0),
            read_opponent(opponent),
        )
        for opponent in opponents
    ]


def _fitting_plan(opponents: Sequence[tuple[float, Traits]], random: Random) -> Plan:
    """The blocks that these opponents call for; chance decides where they say nothing."""
    known = [(weight, traits) for weight, traits in opponents if traits.known]
    if not known:
        return random_plan(random)
    total = sum(weight for weight, _ in known) or 1.0

    def share(kinds: set[Suspect]) -> float:
        return sum(weight for weight, traits in known if traits.suspect in kinds) / total

    adaptive = sum(weight for weight, traits in known if traits.adapts) / total
    blind = sum(weight for weight, traits in known if not traits.sees_card) / total
    base = Base.MIXED
    if share({Suspect.STATION, Suspect.COIN_FLIPPER, Suspect.BULLY}) > 0.5:
        base = Base.STRAIGHTFORWARD
    elif adaptive > 0.5:
        base = random.choice([Base.MIXED, Base.TRAPPING])
    return Plan(
        base=base,
        reading=Reading.NONE if blind > 0.8 else Reading.MEASURED,
        memory=Memory.FADING if adaptive > 0.5 else Memory.WHOLE,
        answer=random.choice(list(Answer)),
        odds=200 if adaptive > 0.5 else random.choice(ODDS[1:3]),
        suspects=_heaviest_suspects(known),
    )


def _heaviest_suspects(known: Sequence[tuple[float, Traits]]) -> tuple[Suspect, ...]:
    weights: dict[Suspect, float] = {}
    for weight, traits in known:
        if traits.suspect is not None:
            weights[traits.suspect] = weights.get(traits.suspect, 0.0) + weight
    chosen = sorted(weights, key=lambda suspect: -weights[suspect])[:MAX_SUSPECTS]
    return tuple(suspect for suspect in Suspect if suspect in chosen)


def _children(parents: Sequence[Plan], fitting: Plan, random: Random) -> Iterator[Plan]:
    """Children of the first of the parents in the order to be tried; later ones stray further."""
    for _ in range(10):
        yield child(parents[0], parents[1:], random, fitting)
    stray = parents[0]
    for _ in range(100):
        stray = child(stray, parents[1:], random, fitting)
        yield stray


def _refinements(
    fitting: Plan, incumbent: Plan | None, history: Sequence[Feedback], random: Random
) -> Iterator[Plan]:
    """Plans in the order to be tried: the one that fits, or the incumbent with a few changes."""
    if incumbent is None:
        yield fitting
        incumbent = fitting
    scored = [
        (feedback.score, plan)
        for feedback in history
        if feedback.score is not None and feedback.source is not None
        if (plan := plan_of(feedback.source)) is not None
    ]
    scored.sort(key=lambda pair: -pair[0])
    for _ in range(30):
        if len(scored) > 1 and random.random() < RECOMBINATION_SHARE:
            yield recombine(incumbent, scored[random.randrange(min(3, len(scored)))][1], random)
        else:
            yield _mutate(incumbent, fitting, scored, random)


def _everything(random: Random) -> Iterator[Plan]:
    """All plans with the usual constants, shuffled."""
    everything = [
        Plan(base, reading, memory, answer, odds, suspects)
        for base, reading, memory, answer, odds, suspects in product(
            Base, Reading, Memory, Answer, ODDS, SUSPECT_SETS
        )
    ]
    random.shuffle(everything)
    yield from everything


def _mutate(
    plan: Plan, fitting: Plan, scored: Sequence[tuple[float, Plan]], random: Random
) -> Plan:
    """Change one block (two when stalled), half the time to what the opponents ask for."""
    stalled = len(scored) > 3 and scored[0][1] == plan
    for _ in range(2 if stalled else 1):
        plan = exchange(plan, fitting, random)
    return plan
