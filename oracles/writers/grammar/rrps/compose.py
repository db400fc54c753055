"""Choose what a program consists of: propose afresh, then mutate and recombine on feedback."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from oracles.config import ContextMode
from oracles.task import Feedback, OpponentView, WriteRequest
from oracles.writers.grammar.rrps.analyse import Trait, read_opponent
from oracles.writers.grammar.rrps.predictors import CORE, MIRROR, PREDICTORS
from oracles.writers.grammar.rrps.program import print_program
from oracles.writers.grammar.rrps.recipe import Recipe, read_recipe
from oracles.writers.grammar.rrps.vary import (
    MAX_PREDICTORS,
    child,
    exchange,
    recombine,
    tune,
)

ANSWERS: dict[Trait, tuple[str, ...]] = {
    Trait.PREFERS: ("their_favourite",),
    Trait.CLOCK: ("their_clock", "their_acceleration"),
    Trait.REACTS: ("their_reaction", "usual_after_one_exchange"),
    Trait.MOVES_ON: ("usual_after_one_exchange", "usual_after_two_of_theirs"),
    Trait.COUNTS_ME: ("my_favourite", "usual_after_three_of_mine"),
    Trait.COUNTS_ITSELF: ("their_favourite", "usual_after_two_of_theirs"),
    Trait.LOOKS_UP: ("my_pattern_in_theirs", "usual_after_three_exchanges"),
    Trait.MATCHES: (MIRROR, "their_answer_to_me", "my_pattern_in_theirs"),
    Trait.SCORES: (MIRROR, "usual_after_three_exchanges", "their_answer_to_me"),
    Trait.UNREADABLE: ("usual_after_three_exchanges",),
}
"""What answers a trait, best first."""

MEMORIES = ((0.9, 0.97, 0.995), (0.88, 0.96, 0.994), (0.9, 0.98, 0.996), (0.92, 0.97, 0.993))
SHARPNESS = (3, 4)
PATIENCE = (6, 8, 10)
PROOF = (7, 8, 9)
ENDINGS = ((12, 7, 4, 2, 1), (10, 6, 4, 3, 2, 1), (15, 8, 5, 3, 1))
MAX_ANSWERS = 3
MIRRORED = 0.3
"""Share of fresh programs that are ready for their own kind without having seen it."""


def compose(request: WriteRequest) -> str:
    """A policy for the request: a pure function of it.

    It is never one that the history, the incumbent, an inspiration or a shown opponent holds. A
    parent that the grammar did not write is passed over: the next readable one takes its place, and
    without any the program is composed afresh.
    """
    rng = random.Random(request.seed)  # noqa: S311 (a search, not a secret)
    opponents = () if request.context is ContextMode.NONE else request.opponents
    answers = answer_opponents(opponents)
    parents = _read([request.incumbent, *request.inspirations])
    tried = _read([feedback.source for feedback in request.history])
    known = {*parents, *tried, *_read([opponent.code for opponent in opponents])}
    if request.inspirations and parents:
        wanted = answer_opponents(losing_to(opponents, request.history))
        recipe = child(parents[0], parents[1:], rng, tuple(wanted))
    elif parents:
        recipe = refine(parents[0], rng, opponents, request.history)
    else:
        recipe = fresh(rng, answers)
    while (recipe := recipe.normal()) in known:
        recipe = nudge(recipe, rng)
    return print_program(recipe, describe(recipe, opponents), answers)


def _read(sources: Sequence[str | None]) -> list[Recipe]:
    """The recipes of those sources that this grammar wrote."""
    read = [read_recipe(source) for source in sources if source is not None]
    return [recipe.normal() for recipe in read if recipe is not None]


def nudge(recipe: Recipe, rng: random.Random) -> Recipe:
    """One small change: a constant tuned, or a predictor more, less or exchanged."""
    return tune(recipe, rng) if rng.random() < 0.6 else exchange(recipe, rng)


def answer_opponents(opponents: Sequence[OpponentView]) -> dict[str, str]:
    """Predictors that answer what the opponents' code shows, with the reason, heaviest first."""
    reasons: dict[str, str] = {}
    for opponent in opponents:
        if opponent.code is None:
            continue
        for trait in read_opponent(opponent.code).traits:
            for name in ANSWERS[trait]:
                reasons.setdefault(name, f"{opponent.name} {trait}.")
    return reasons


def fresh(rng: random.Random, answers: dict[str, str]) -> Recipe:
    """A whole program: the core, what answers the opponents, and an idea of chance."""
    named = [name for name in answers if name not in (*CORE, MIRROR)]
    chosen = [*CORE, *named[:MAX_ANSWERS]]
    others = [block.name for block in PREDICTORS if block.name not in chosen]
    chosen.append(rng.choice(others))
    return Recipe(
        tuple(chosen),
        rng.choice(MEMORIES),
        rng.choice(ENDINGS),
        rng.choice(SHARPNESS),
        rng.choice(PATIENCE),
        rng.choice(PROOF),
        mirror=MIRROR in answers or rng.random() < MIRRORED,
    )


def refine(
    parent: Recipe,
    rng: random.Random,
    opponents: Sequence[OpponentView],
    history: Sequence[Feedback],
) -> Recipe:
    """Read the feedback: recombine with a good rival, or trade an idle predictor for an answer."""
    tried = [
        (recipe, feedback.score)
        for feedback in history
        if feedback.score is not None and feedback.source
        if (recipe := read_recipe(feedback.source)) is not None
    ]
    rivals = sorted((t for t in tried if t[0] != parent), key=lambda t: t[1], reverse=True)
    if rivals and rng.random() < 0.3:
        return recombine(parent, rivals[0][0], rng)
    if rng.random() < 0.4:
        return nudge(parent, rng)
    answers = answer_opponents(losing_to(opponents, history))
    if MIRROR in answers and not parent.mirror:
        return replace(parent, mirror=True)
    predictors = list(parent.predictors)
    idle = least_useful(parent, tried)
    if idle:
        predictors.remove(idle)
    missing = [name for name in answers if name not in (*predictors, idle, MIRROR)]
    if missing and len(predictors) < MAX_PREDICTORS:
        predictors.append(missing[0])
    changed = replace(parent, predictors=tuple(predictors))
    return nudge(parent, rng) if changed == parent else changed


def losing_to(opponents: Sequence[OpponentView], history: Sequence[Feedback]) -> list[OpponentView]:
    """The opponents that the best proposal so far gains least against, the worst first."""
    scored = [feedback for feedback in history if feedback.score is not None]
    if not scored:
        return list(opponents)
    best = max(scored, key=lambda feedback: feedback.score or 0.0)
    return sorted(opponents, key=lambda opponent: best.per_opponent.get(opponent.name, 0.0))


def least_useful(parent: Recipe, tried: Sequence[tuple[Recipe, float]]) -> str | None:
    """The spare predictor without which proposals scored most; None while nothing speaks so."""
    worst, loss = None, 0.0
    for name in parent.predictors:
        with_it = [score for recipe, score in tried if name in recipe.predictors]
        without = [score for recipe, score in tried if name not in recipe.predictors]
        if name in CORE or not with_it or not without:
            continue
        difference = sum(without) / len(without) - sum(with_it) / len(with_it)
        if difference > loss:
            worst, loss = name, difference
    return worst


def describe(recipe: Recipe, opponents: Sequence[OpponentView]) -> list[str]:
    """The class docstring: the strategy in words."""
    against = ", ".join(opponent.name for opponent in opponents[:3])
    mirror = (
        " I also run my own forecasts from their seat: that is what an opponent of my kind throws."
        if recipe.mirror
        else ""
    )
    return [
        f"Listen to {len(recipe.predictors)} forecasts and trust those that have been paying.",
        "Every forecast names a throw. It is not taken at its word: I count by how many steps it "
        "was off, so that an opponent who expects my reply, or expects me to expect it, shows as "
        f"a steady error, and the error is what I play on.{mirror} While my choices do not pay, I "
        "throw at random, which costs nothing.",
        *([f"Written against {against}."] if against else []),
    ]
