"""Every Leduc program of the grammar must play legally, read well and carry nothing unused."""

from __future__ import annotations

import ast
import random
from itertools import product

import pytest

from oracles.candidate import extract
from oracles.config import ContextMode
from oracles.writers.grammar import GrammarWriter
from oracles.writers.grammar.leduc import compose
from oracles.writers.grammar.leduc.plan import (
    ODDS,
    SUSPECT_SETS,
    Answer,
    Base,
    Memory,
    Plan,
    Reading,
)
from oracles.writers.grammar.leduc.printing import print_program
from oracles.writers.grammar.leduc.recognise import plan_of
from tests.oracles.grammar.leduc_table import CALL, FOLD, INITIAL, RAISE, play, request, seated

RNG = random.Random(11)
PLANS = [
    Plan(*choice)
    for choice in RNG.sample(list(product(Base, Reading, Memory, Answer, ODDS, SUSPECT_SETS)), 40)
]


def test_random_requests_give_accepted_programs_that_play_legally() -> None:
    rng = random.Random(2)
    for seed in range(120):
        names = rng.sample(list(INITIAL), rng.randint(1, len(INITIAL)))
        context = rng.choice([ContextMode.CODE, ContextMode.NONE])
        asked = request(*names, seed=seed, context=context)
        extraction = extract(GrammarWriter().write(asked).text)
        assert extraction.accepted, extraction.reason
        assert not extraction.repairs
        source = extraction.source
        assert source == compose(asked)
        opponent = rng.choice(list(INITIAL.values()))
        play(seated(source, 0, seed), seated(opponent, 1, seed), seed=seed, hands=40)
        play(seated(opponent, 0, seed), seated(source, 1, seed), seed=seed, hands=40)


def test_programs_survive_every_kind_of_opponent() -> None:
    rng = random.Random(4)
    opponents = {
        "folds": lambda obs: obs["legal_actions"][0],
        "raises": lambda obs: obs["legal_actions"][-1],
        "calls": lambda obs: CALL,
        "anything": lambda obs: rng.choice(obs["legal_actions"]),
    }
    for number, plan in enumerate(PLANS):
        source = print_program(plan)
        for opponent in opponents.values():
            play(seated(source, 0, number), opponent, seed=number, hands=40)
            play(opponent, seated(source, 1, number), seed=number, hands=40)


@pytest.mark.parametrize("base", Base)
@pytest.mark.parametrize("answer", Answer)
def test_habits_are_punished_and_a_stranger_is_not(base: Base, answer: Answer) -> None:
    source = print_program(Plan(base, Reading.MEASURED, Memory.WHOLE, answer, 50))

    def folds_too_much(obs: dict[str, list[int]]) -> int:
        return FOLD if FOLD in obs["legal_actions"] else CALL

    def raises_everything(obs: dict[str, list[int]]) -> int:
        return RAISE if RAISE in obs["legal_actions"] else CALL

    for habit, least in ((folds_too_much, 70), (raises_everything, 90)):
        chips = [play(seated(source, 0, seed), habit, seed=seed) for seed in range(12)]
        chips += [-play(habit, seated(source, 1, seed), seed=seed) for seed in range(12)]
        assert sum(chips) / len(chips) > least


@pytest.mark.parametrize("plan", PLANS[:20], ids=str)
def test_programs_read_back_into_their_plan(plan: Plan) -> None:
    assert plan_of(print_program(plan)) == plan


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_programs_define_nothing_that_they_do_not_use(plan: Plan) -> None:
    tree = ast.parse(print_program(plan))
    nodes = list(ast.walk(tree))
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    stored = {node.attr for node in nodes if _stores(node, ast.Attribute)}
    constants = {node.id for node in nodes if _stores(node, ast.Name) and node.id.isupper()}
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute) and not _stores(node)}
    used |= {node.id for node in nodes if isinstance(node, ast.Name) and not _stores(node)}
    assert defined | stored | constants <= used | {"__init__", "act"}


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_programs_are_short_and_explain_themselves(plan: Plan) -> None:
    source = print_program(plan)
    tree = ast.parse(source)
    assert 60 <= source.count("\n") <= 250
    assert max(len(line) for line in source.splitlines()) <= 100
    policy = next(node for node in tree.body if isinstance(node, ast.ClassDef))
    assert len(ast.get_docstring(policy) or "") > 200
    for method in ast.walk(tree):
        if isinstance(method, ast.FunctionDef) and method.name not in ("__init__", "act"):
            assert ast.get_docstring(method), method.name


def _stores(node: ast.AST, kind: type[ast.AST] = ast.AST) -> bool:
    return isinstance(node, kind) and isinstance(getattr(node, "ctx", None), ast.Store)
