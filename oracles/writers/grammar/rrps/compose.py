"""Choose what a program consists of: propose afresh, then mutate and recombine on feedback."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from oracles.config import ContextMode
from oracles.task import Feedback, OpponentView, WriteRequest
from oracles.writers.grammar.rrps.analyse import Trait, read_opponent
from oracles.writers.grammar.rrps.predictors import PREDICTORS
from oracles.writers.grammar.rrps.program import print_program
from oracles.writers.grammar.rrps.recipe import Recipe, read_recipe

CORE = (
    "their_pattern_in_both",
    "my_pattern_in_both",
    "their_own_pattern",
    "my_own_pattern",
    "usual_after_two_exchanges",
    "their_reaction",
    "their_rotation",
)
"""What every program keeps, whatever the opponents at hand: it will meet others."""

ANSWERS: dict[Trait, tuple[str, ...]] = {
    Trait.PREFERS: ("their_bias", "their_favourite"),
    Trait.CLOCK: ("their_clock", "their_acceleration"),
    Trait.REACTS: ("usual_after_two_of_mine", "usual_after_one_exchange"),
    Trait.MOVES_ON: ("usual_after_one_exchange", "usual_after_two_of_theirs"),
    Trait.COUNTS_ME: ("my_favourite", "usual_after_three_of_mine"),
    Trait.COUNTS_ITSELF: ("their_favourite", "usual_after_three_of_theirs"),
    Trait.LOOKS_UP: ("my_pattern_in_theirs", "usual_after_three_exchanges"),
    Trait.MATCHES: ("their_answer_to_me", "my_pattern_in_theirs"),
    Trait.SCORES: ("usual_after_three_exchanges", "their_answer_to_me"),
    Trait.UNREADABLE: ("usual_after_three_exchanges", "their_bias"),
}
"""What answers a trait, best first."""

MEMORIES = ((0.9, 0.98), (0.92, 0.985), (0.88, 0.97, 0.995), (0.93, 0.99))
SHARPNESS = (2, 3)
PATIENCE = (16, 20, 24, 28)
ENDINGS = ((12, 7, 4, 2, 1), (10, 6, 4, 3, 2, 1), (15, 8, 5, 3, 1))
MAX_PREDICTORS = 14


@dataclass(frozen=True)
class Draft:
    """A recipe with the reason for each of its predictors."""

    recipe: Recipe
    reasons: dict[str, str]


def compose(request: WriteRequest) -> str:
    """A policy for the request: a pure function of it, never one that the history holds."""
    rng = random.Random(request.seed)  # noqa: S311 (a search, not a secret)
    opponents = () if request.context is ContextMode.NONE else request.opponents
    answers = answer_opponents(opponents)
    known = {recipe for source in _sources(request) if (recipe := read_recipe(source))}
    parent = read_recipe(request.incumbent) if request.incumbent else None
    recipe = parent or fresh(rng, answers)
    if parent:
        recipe = mutate(recipe, rng, answers, request.history)
    while recipe.normal() in known:
        recipe = nudge(recipe, rng)
    recipe = recipe.normal()
    return print_program(recipe, describe(recipe, opponents), answers)


def _sources(request: WriteRequest) -> list[str]:
    sources = [feedback.source for feedback in request.history if feedback.source]
    return [*sources, *([request.incumbent] if request.incumbent else [])]


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
    """A whole program: the core, what answers the opponents, and a few ideas of chance."""
    chosen = [*CORE, *list(answers)[:5]]
    others = [block.name for block in PREDICTORS if block.name not in chosen]
    chosen += rng.sample(others, max(0, min(2, MAX_PREDICTORS - len(chosen))))
    return Recipe(
        tuple(chosen),
        rng.choice(MEMORIES),
        rng.choice(ENDINGS),
        rng.choice(SHARPNESS),
        rng.choice(PATIENCE),
    )


def mutate(
    parent: Recipe, rng: random.Random, answers: dict[str, str], history: Sequence[Feedback]
) -> Recipe:
    """The incumbent with one or two changes, or crossed with the best other proposal."""
    del answers
    rivals = [f for f in history if f.source and f.score is not None]
    rivals.sort(key=lambda f: f.score or 0.0, reverse=True)
    for feedback in rivals:
        other = read_recipe(feedback.source or "")
        if other and other != parent and rng.random() < 0.3:
            return recombine(parent, other, rng)
    return nudge(parent, rng)


def recombine(parent: Recipe, other: Recipe, rng: random.Random) -> Recipe:
    """Predictors that both have, and by chance those that one has; constants from either."""
    either = [*parent.predictors, *(n for n in other.predictors if n not in parent.predictors)]
    shared = set(parent.predictors) & set(other.predictors)
    chosen = [name for name in either if name in shared or name in CORE or rng.random() < 0.5]
    return Recipe(
        tuple(chosen[:MAX_PREDICTORS]),
        rng.choice((parent.memories, other.memories)),
        rng.choice((parent.endings, other.endings)),
        rng.choice((parent.sharpness, other.sharpness)),
        rng.choice((parent.patience, other.patience)),
    )


def nudge(recipe: Recipe, rng: random.Random) -> Recipe:
    """One change: a predictor more, less or exchanged, or another constant."""
    spare = [name for name in recipe.predictors if name not in CORE]
    absent = [block.name for block in PREDICTORS if block.name not in recipe.predictors]
    change = rng.choice(("add", "drop", "swap", "memories", "endings", "sharpness", "patience"))
    predictors = list(recipe.predictors)
    if change in ("drop", "swap") and spare:
        predictors.remove(rng.choice(spare))
    if change in ("add", "swap") and absent and len(predictors) < MAX_PREDICTORS:
        predictors.append(rng.choice(absent))
    if change == "memories":
        return replace(recipe, memories=rng.choice(MEMORIES))
    if change == "endings":
        return replace(recipe, endings=rng.choice(ENDINGS))
    if change == "sharpness":
        return replace(recipe, sharpness=rng.choice(SHARPNESS))
    if change == "patience":
        return replace(recipe, patience=rng.choice(PATIENCE))
    return replace(recipe, predictors=tuple(predictors))


def describe(recipe: Recipe, opponents: Sequence[OpponentView]) -> list[str]:
    """The class docstring: the strategy in words."""
    ideas = {block.name: block.idea for block in PREDICTORS}
    return [
        f"Listen to {len(recipe.predictors)} forecasts and trust those that have been paying.",
        "Every forecast names a throw. It is not taken at its word: I count by how many steps it "
        "was off, so that an opponent who expects my reply, or expects me to expect it, shows as "
        "a steady error, and the error is what I play on.",
        *(f"- {name} {ideas[name]}." for name in recipe.predictors),
    ]
