"""The RoShamBo bots give the published results, from their own seeds, and cannot be misused."""

from __future__ import annotations

import ctypes

import numpy as np
import pyspiel
import pytest

from games.base import GameError
from games.bots.roshambo import DETERMINISTIC, RoshamboSide
from games.bots.roshambo_names import SUMMARIES
from games.local_engine import LocalEngine
from games.match import MatchSpec
from games.players import BotPlayer
from games.rrps import Rrps

# Published means of the bot table of arXiv:2303.03196; between these bots nothing is random.
PUBLISHED = {
    ("copybot", "debruijn81"): 1.0,
    ("copybot", "freqbot2"): 600.0,
    ("copybot", "multibot"): -997.0,
    ("copybot", "rockbot"): 1000.0,
    ("debruijn81", "freqbot2"): 128.0,
    ("freqbot2", "textbot"): 185.0,
    ("multibot", "rotatebot"): 997.0,
    ("pibot", "textbot"): -81.0,
    ("rotatebot", "textbot"): 11.0,
}


def play_directly(names: tuple[str, str], seed: int) -> int:
    """One match in the order of calls that OpenSpiel documents, after ``srandom(seed)``."""
    libc = ctypes.CDLL(None)
    bots = [pyspiel.make_roshambo_bot(seat, name, 1000) for seat, name in enumerate(names)]
    state = pyspiel.load_game(
        "repeated_game(stage_game=matrix_rps(),num_repetitions=1000,recall=1)"
    ).new_initial_state()
    libc.srandom(ctypes.c_uint(seed))
    while not state.is_terminal():
        state.apply_actions([bot.step(state) for bot in bots])
    return int(state.returns()[0])


def play_sides(names: tuple[str, str], seeds: list[int]) -> list[int]:
    """All matches in lockstep; seat 1's bots are given seeds of their own."""
    sides = [RoshamboSide(name, seat, seeds) for seat, name in enumerate(names)]
    messages = [bytes(len(seeds)), bytes(len(seeds))]
    score = np.zeros(len(seeds), dtype=int)
    for _ in range(1000):
        for side, message in zip(sides, messages, strict=True):
            side.send(message, len(seeds))
        mine, theirs = (np.frombuffer(s.receive(), np.uint8).astype(int) for s in sides)
        score += np.array([0, 1, -1])[(mine - theirs) % 3]
        messages = [
            (3 * mine + theirs).astype(np.uint8).tobytes(),
            (3 * theirs + mine).astype(np.uint8).tobytes(),
        ]
    return score.tolist()


def test_matches_between_deterministic_bots_are_those_of_the_published_table(
    engine: LocalEngine,
) -> None:
    specs = [MatchSpec("rrps", BotPlayer(a), BotPlayer(b), 2, 1) for a, b in PUBLISHED]
    results = engine.play(specs)
    assert [result.payoffs for result in results] == [(v, v) for v in PUBLISHED.values()]


@pytest.mark.parametrize("name", ["randbot", "markov5", "shofar", "iocainebot"])
def test_lockstep_gives_the_numbers_of_srandom_in_a_process_alone(name: str) -> None:
    seeds = [7, 8, 2**63 - 5]
    names = (name, "rotatebot")
    assert play_sides(names, seeds) == [play_directly(names, seed) for seed in seeds]


def test_bots_that_draw_differ_from_seed_to_seed(engine: LocalEngine) -> None:
    spec = MatchSpec("rrps", BotPlayer("randbot"), BotPlayer("rockbot"), 8, 3)
    other = MatchSpec("rrps", BotPlayer("randbot"), BotPlayer("rockbot"), 8, 4)
    first, again, different = engine.play([spec, spec, other])
    assert first.payoffs == again.payoffs
    assert first.payoffs != different.payoffs
    assert len(set(first.payoffs)) > 1


def test_all_43_bots_of_openspiel_are_named_in_its_order() -> None:
    assert list(SUMMARIES) == pyspiel.roshambo_bot_names()
    assert Rrps().evaluation_population() == pyspiel.roshambo_bot_names()
    assert set(SUMMARIES) >= DETERMINISTIC


def test_a_match_of_more_than_1000_throws_is_refused_before_the_bot_kills_the_process() -> None:
    side = RoshamboSide("rockbot", 0, [1])
    for _ in range(1000):
        side.send(b"\0", 1)
        side.receive()
    with pytest.raises(ValueError, match="exactly 1000 throws"):
        side.send(b"\0", 1)


def test_an_unknown_bot_is_an_error_that_lists_the_known_ones(engine: LocalEngine) -> None:
    with pytest.raises(GameError, match=r"no bot named 'nobody'.*greenberg"):
        engine.play([MatchSpec("rrps", BotPlayer("nobody"), BotPlayer("rockbot"), 1, 1)])
