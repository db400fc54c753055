"""In an evolution the grammar composes children of the programs that it is shown."""

from __future__ import annotations

import difflib
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from games.local_engine import LocalEngine
from games.match import MatchSpec
from games.players import CodePlayer
from oracles.candidate import extract
from oracles.config import ContextMode
from oracles.task import Feedback, WriteRequest
from oracles.writers.grammar import GrammarWriter
from oracles.writers.grammar.leduc.plan import Plan
from oracles.writers.grammar.leduc.recognise import plan_of
from oracles.writers.grammar.rrps.predictors import CORE
from oracles.writers.grammar.rrps.recipe import Recipe, read_recipe
from tests.oracles.grammar import leduc_table, test_rrps_programs

GAMES: dict[str, tuple[Callable[..., WriteRequest], dict[str, str]]] = {
    "rrps": (test_rrps_programs.request, test_rrps_programs.INITIAL),
    "leduc": (leduc_table.request, leduc_table.INITIAL),
}
READ: dict[str, Callable[[str], Recipe | Plan | None]] = {"rrps": read_recipe, "leduc": plan_of}


def write(asked: WriteRequest) -> str:
    found = extract(GrammarWriter().write(asked).text)
    assert found.source is not None, found.reason
    return found.source


def fresh(game: str, seed: int) -> str:
    request, initial = GAMES[game]
    return write(request(*initial, seed=seed, context=ContextMode.NONE))


def child(game: str, incumbent: str, *inspirations: str, seed: int = 0, **kwargs: Any) -> str:
    request, initial = GAMES[game]
    asked = request(*initial, seed=seed, incumbent=incumbent, **kwargs)
    return write(replace(asked, inspirations=inspirations))


def choices(game: str, source: str) -> dict[str, Any]:
    found = READ[game](source)
    assert found is not None
    return vars(found)


@pytest.mark.parametrize("game", GAMES)
def test_a_generation_of_children_holds_no_program_twice(game: str) -> None:
    programs = [fresh(game, seed) for seed in (1, 2, 3)]
    history = [Feedback(source, True, "", 0.0, {}, None, "") for source in programs]
    rng = random.Random(3)
    for seed in range(60):
        parent, *others = rng.sample(programs, 3)
        made = child(game, parent, *others, seed=seed, history=tuple(history))
        assert made not in programs
        programs.append(made)
        history.append(Feedback(made, True, "", rng.uniform(-9, 9), {}, None, ""))
    assert len({READ[game](source) for source in programs}) == len(programs)


@pytest.mark.parametrize("game", GAMES)
def test_equal_requests_give_equal_children(game: str) -> None:
    one, two = fresh(game, 1), fresh(game, 2)
    assert child(game, one, two, seed=9) == child(game, one, two, seed=9)


@pytest.mark.parametrize("game", GAMES)
def test_children_differ_from_both_parents_by_changes_of_every_size(game: str) -> None:
    one, two = fresh(game, 1), fresh(game, 2)
    sizes = set()
    for seed in range(60):
        made = child(game, one, two, seed=seed)
        assert made not in (one, two)
        before, after = choices(game, one), choices(game, made)
        assert before != after
        sizes.add(sum(before[name] != after[name] for name in before))
    assert {1, 2, 3} <= sizes


@pytest.mark.parametrize("game", GAMES)
def test_some_children_take_a_choice_that_only_the_inspiration_has(game: str) -> None:
    one, two = fresh(game, 1), fresh(game, 2)
    mother, father = choices(game, one), choices(game, two)
    differs = [name for name in mother if mother[name] != father[name]]
    crossed = 0
    for seed in range(60):
        after = choices(game, child(game, one, two, seed=seed))
        crossed += sum(after[name] == father[name] for name in differs) >= 2
    assert crossed >= 5


def test_rrps_children_keep_the_core_that_strangers_call_for() -> None:
    one, two = fresh("rrps", 1), fresh("rrps", 2)
    for seed in range(60):
        assert set(CORE) <= set(choices("rrps", child("rrps", one, two, seed=seed))["predictors"])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "foreign",
    [
        "class Policy:\n    def act(self, obs):\n        return 1\n",
        "class Policy:\n    MEMORIES = ('a', 3)\n    PROOF = -1\n    def act(self, obs):\n"
        "        return 1\n",
        "this is no program (",
        "\0",
        "(" * 3000,
        "x = " + "-" * 90_000 + "1",
        "",
    ],
)
def test_a_parent_from_elsewhere_gives_way_to_the_next_that_can_be_read(
    game: str, foreign: str
) -> None:
    known = fresh(game, 1)
    made = child(game, foreign, known, foreign)
    assert READ[game](made) not in (None, READ[game](known))
    matcher = difflib.SequenceMatcher(None, known.splitlines(), made.splitlines())
    assert matcher.ratio() > 0.5
    assert READ[game](child(game, foreign, foreign)) is not None


@pytest.mark.parametrize("game", GAMES)
def test_an_edited_constant_is_read_and_can_be_inherited(game: str) -> None:
    source, other = fresh(game, 1), fresh(game, 2)
    name = "patience"
    line = next(line for line in source.splitlines() if line.strip().startswith("PATIENCE = "))
    edited = source.replace(line, line.split("=")[0] + "= 17")
    assert choices(game, edited)[name] == 17
    kept = [choices(game, child(game, edited, other, seed=seed))[name] for seed in range(20)]
    assert kept.count(17) > 5
    broken = source.replace(line, line.split("=")[0] + "= 'often'")
    assert READ[game](broken) is None
    assert READ[game](child(game, broken, other)) is not None


@pytest.mark.parametrize("game", GAMES)
def test_children_play_whole_matches_in_the_sandbox_without_a_fault(game: str) -> None:
    request, initial = GAMES[game]
    one, two = fresh(game, 1), fresh(game, 2)
    asked = request(*initial, seed=5, context=ContextMode.NONE)
    specs = []
    for seed in range(8):
        made = write(replace(asked, incumbent=one, inspirations=(two,), seed=seed))
        specs.append(MatchSpec(game, CodePlayer(made), CodePlayer(one), episodes=2, seed=seed))
    with LocalEngine() as engine:
        for result in engine.play(specs):
            assert not result.a.counts
            assert not result.b.counts
