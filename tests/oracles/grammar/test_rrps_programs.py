"""What the grammar writes for Rock-Paper-Scissors runs, and depends on what it was told."""

from __future__ import annotations

import ast
import random
from typing import Any

import pytest

from games.rrps import Rrps
from oracles.config import ContextMode
from oracles.task import OpponentView, WriteRequest
from oracles.writers.grammar import GrammarError, GrammarWriter

INITIAL = {policy.name: policy.source for policy in Rrps().initial_population()}


def request(
    *names: str, seed: int = 0, context: ContextMode = ContextMode.CODE, **kwargs: Any
) -> WriteRequest:
    shown = context is ContextMode.CODE
    opponents = tuple(
        OpponentView(name, 1 / len(names), INITIAL[name] if shown else None, None) for name in names
    )
    rest: dict[str, Any] = {"incumbent": None, "history": (), "messages": (), **kwargs}
    return WriteRequest(Rrps(), context, opponents, seed=seed, **rest)


def program(asked: WriteRequest) -> str:
    text = GrammarWriter().write(asked).text
    return text.removeprefix("```python\n").removesuffix("```\n")


def play(source: str, opponent: str, *, seed: int, throws: int = 1000) -> int:
    """Score of the program against another one, both trusted and in this process."""
    sides = []
    for seat, text in enumerate((source, opponent)):
        scope: dict[str, Any] = {}
        exec(compile(text, "policy.py", "exec"), scope)
        policy_class = scope["Policy"]
        takes_seed = "__init__" in vars(policy_class)
        policy = policy_class(seat, 2, {}, seed + seat) if takes_seed else policy_class()
        obs = Rrps().example_observation() | {"my_actions": [], "opponent_actions": []}
        sides.append((policy, obs | {"player": seat}))
    scores = [0, 0]
    for throw in range(throws):
        played = []
        for seat, (policy, obs) in enumerate(sides):
            obs.update(throw=throw, my_score=scores[seat])
            played.append(policy.act(obs))
        for seat, (_, obs) in enumerate(sides):
            mine, theirs = played[seat], played[1 - seat]
            assert mine in (0, 1, 2)
            obs["my_actions"].append(mine)
            obs["opponent_actions"].append(theirs)
            scores[seat] += (0, 1, -1)[(mine - theirs) % 3]
    return scores[0]


def test_equal_requests_give_equal_completions() -> None:
    first, second = (GrammarWriter().write(request(*INITIAL, seed=7)) for _ in range(2))
    assert first == second
    assert first.model is None
    assert not first.model_call


def test_another_game_is_refused_by_name() -> None:
    class Chess(Rrps):
        name = "chess"

    asked = WriteRequest(Chess(), ContextMode.NONE, (), None, (), (), 0)
    with pytest.raises(GrammarError, match=r"'chess'.*rrps"):
        GrammarWriter().write(asked)


def test_without_context_opponents_change_nothing() -> None:
    programs = {program(request(name, seed=3, context=ContextMode.NONE)) for name in INITIAL}
    assert len(programs) == 1


def test_different_opponents_lead_to_different_programs() -> None:
    programs = {program(request(name, seed=3)) for name in INITIAL}
    assert len(programs) >= len(INITIAL) - 1


def test_every_program_parses_and_plays_a_whole_episode() -> None:
    rng = random.Random(1)
    for seed in range(12):
        names = rng.sample(list(INITIAL), rng.randint(1, len(INITIAL)))
        source = program(request(*names, seed=seed))
        ast.parse(source)
        play(source, INITIAL[rng.choice(list(INITIAL))], seed=seed, throws=300)
