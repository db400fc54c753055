"""How the grammar searches among Rock-Paper-Scissors programs, and what it prints."""

from __future__ import annotations

import ast
import functools
import random
from dataclasses import replace

import pytest

from oracles.candidate import extract
from oracles.config import ContextMode
from oracles.task import Feedback, OpponentView
from oracles.writers.grammar import GrammarWriter
from oracles.writers.grammar.rrps.analyse import Trait, read_opponent
from oracles.writers.grammar.rrps.compose import least_useful, losing_to
from oracles.writers.grammar.rrps.predictors import CORE
from oracles.writers.grammar.rrps.program import print_program
from oracles.writers.grammar.rrps.recipe import read_recipe
from tests.oracles.grammar.test_rrps_programs import INITIAL, play, program, request


def heard(source: str, score: float, **per_opponent: float) -> Feedback:
    return Feedback(source, True, "", score, per_opponent, None, "")


@functools.cache
def random_programs(count: int) -> list[str]:
    rng = random.Random(5)
    sources: list[str] = []
    for seed in range(count):
        names = rng.sample(list(INITIAL), rng.randint(1, len(INITIAL)))
        history = tuple(heard(source, rng.uniform(-50, 50)) for source in sources[-3:])
        incumbent = sources[-1] if sources and rng.random() < 0.7 else None
        asked = request(*names, seed=seed, history=history, incumbent=incumbent)
        sources.append(program(asked))
    return sources


def test_every_program_passes_the_checks_that_candidates_meet() -> None:
    for seed in range(30):
        answer = GrammarWriter().write(request(*list(INITIAL)[seed % 7 :], seed=seed)).text
        found = extract(answer)
        assert found.accepted, (found.reason, found.line)
    for source in random_programs(150):
        assert extract(f"```python\n{source}```").accepted


def test_no_program_holds_a_method_attribute_or_constant_that_nothing_reads() -> None:
    for source in random_programs(150):
        nodes = list(ast.walk(ast.parse(source)))
        names = [node for node in nodes if isinstance(node, ast.Attribute | ast.Name)]
        defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        read, stored = set(), set()
        for node in names:
            name = node.attr if isinstance(node, ast.Attribute) else node.id
            (read if isinstance(node.ctx, ast.Load) else stored).add(name)
        assert (defined | stored) - read <= {"__init__", "act", "Policy", "_"}


def test_programs_are_short_and_explain_themselves() -> None:
    for source in random_programs(150):
        assert source.count("\n") <= 165
        assert max(map(len, source.splitlines())) <= 100
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and node.name not in ("__init__", "act"):
                assert ast.get_docstring(node), node.name


def test_what_is_printed_can_be_read_back() -> None:
    for source in random_programs(150):
        recipe = read_recipe(source)
        assert recipe is not None
        again = read_recipe(print_program(recipe, ["Again."], {}))
        assert again == recipe


def test_a_stranger_is_no_recipe() -> None:
    assert read_recipe("def broken(:") is None
    for source in INITIAL.values():
        assert read_recipe(source) is None


def test_no_proposal_repeats_what_was_tried() -> None:
    incumbent = program(request(*INITIAL, seed=1))
    tried = [incumbent]
    for seed in range(25):
        history = tuple(heard(source, 1.0) for source in tried)
        asked = request(*INITIAL, seed=seed, history=history, incumbent=incumbent)
        tried.append(program(asked))
    assert len({read_recipe(source) for source in tried}) == len(tried)


def test_feedback_changes_the_next_proposal() -> None:
    incumbent, rival = program(request(*INITIAL, seed=1)), program(request(*INITIAL, seed=2))
    changed = 0
    for seed in range(10):
        asked = request("mostly_paper", "mirror_last", seed=seed, incumbent=incumbent)
        unlucky = (heard(incumbent, -20.0, mirror_last=-40.0), heard(rival, -5.0))
        changed += program(asked) != program(replace(asked, history=unlucky))
    assert changed >= 3


def test_a_predictor_that_does_not_earn_is_the_first_to_go() -> None:
    recipe = read_recipe(program(request("mostly_paper", seed=1)))
    assert recipe is not None
    spare = next(name for name in recipe.predictors if name not in CORE)
    without = replace(recipe, predictors=tuple(name for name in recipe.predictors if name != spare))
    assert least_useful(recipe, [(recipe, -10.0), (without, 5.0)]) == spare
    assert least_useful(recipe, [(recipe, 5.0), (without, -10.0)]) is None


def test_the_opponent_that_beats_the_best_proposal_is_answered_first() -> None:
    opponents = [OpponentView(name, 0.5, INITIAL[name], None) for name in INITIAL]
    history = [heard("", 3.0, mirror_last=-9.0, mostly_paper=20.0), heard("", -8.0)]
    assert losing_to(opponents, history)[0].name == "mirror_last"


def test_every_proposal_keeps_the_core_that_strangers_call_for() -> None:
    for source in random_programs(150):
        recipe = read_recipe(source)
        assert recipe is not None
        assert set(CORE) <= set(recipe.predictors)


@pytest.mark.parametrize(
    ("name", "trait"),
    [
        ("mostly_paper", Trait.PREFERS),
        ("reverse_rotation", Trait.CLOCK),
        ("mirror_last", Trait.REACTS),
        ("recent_favourite", Trait.COUNTS_ME),
        ("last_reaction", Trait.LOOKS_UP),
        ("win_stay_lose_shift", Trait.MOVES_ON),
    ],
)
def test_an_opponent_is_read_from_its_syntax_tree(name: str, trait: Trait) -> None:
    traits = read_opponent(INITIAL[name]).traits
    assert trait in traits
    assert (Trait.LOOKS_UP in traits) == (name == "last_reaction")


def test_an_unreadable_opponent_is_said_to_be_so() -> None:
    assert read_opponent("class Policy(").traits == (Trait.UNREADABLE,)


def test_a_first_proposal_beats_every_opponent_that_can_be_beaten() -> None:
    for context in (ContextMode.CODE, ContextMode.NONE):
        source = program(request(*INITIAL, seed=4, context=context))
        for name in INITIAL:
            score = play(source, INITIAL[name], seed=11)
            assert score > (-120 if name == "uniform" else 100), (context, name)
