"""What a Rock-Paper-Scissors program does against its own kind, and against one that reads it."""

from __future__ import annotations

from dataclasses import replace

from oracles.task import OpponentView
from oracles.writers.grammar.rrps.compose import describe
from oracles.writers.grammar.rrps.program import print_program
from oracles.writers.grammar.rrps.recipe import Recipe, read_recipe
from tests.oracles.grammar.test_rrps_programs import INITIAL, play, program, request


def recipe_of(source: str) -> Recipe:
    found = read_recipe(source)
    assert found is not None
    return found


def printed(recipe: Recipe) -> str:
    return print_program(recipe, describe(recipe, []), {})


PLAIN = replace(recipe_of(program(request(*INITIAL, seed=1))), mirror=False, patience=8)
MIRRORED = replace(PLAIN, mirror=True)


def test_the_mirror_beats_the_same_program_without_it() -> None:
    scores = [play(printed(MIRRORED), printed(PLAIN), seed=10 * seed) for seed in range(10)]
    assert sum(scores) / len(scores) > PLAIN.patience


def test_an_opponent_of_its_own_kind_is_answered_with_the_mirror() -> None:
    shown = (OpponentView("best response 1", 1.0, printed(PLAIN), None),)
    for seed in range(10):
        source = program(replace(request("uniform", seed=seed), opponents=shown))
        assert recipe_of(source).mirror
        assert "best response 1" in source


def test_a_program_that_has_no_mirror_gets_it_when_its_own_kind_appears() -> None:
    shown = (OpponentView("best response 1", 1.0, printed(MIRRORED), None),)
    refined = [
        program(replace(request("uniform", seed=seed, incumbent=printed(PLAIN)), opponents=shown))
        for seed in range(10)
    ]
    assert sum(recipe_of(source).mirror for source in refined) >= 3


FORESEES = """

class Victim(Policy):
    pass


class Policy:
    def __init__(self, player, num_players, game, seed):
        self.victim = Victim(1 - player, 2, game, seed)

    def act(self, obs):
        mine, theirs = obs["opponent_actions"], obs["my_actions"]
        self.victim.act({"my_actions": mine, "opponent_actions": theirs})
        return (self.victim.choice + 1) % 3
"""


def test_who_foresees_every_choice_wins_little() -> None:
    for recipe in (PLAIN, MIRRORED):
        victim = printed(recipe)
        scores = [play(victim, victim + FORESEES, seed=seed) for seed in range(0, 100, 10)]
        assert sum(scores) / len(scores) > -40
