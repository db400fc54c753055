"""Results depend on the specs alone; the engine can be stopped, killed and restarted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from games.batches import component, cut
from games.engine import EngineError, MatchCancelled
from games.local_engine import LocalEngine
from games.match import MatchResult, MatchSpec, SandboxLevel
from games.players import BotPlayer, MixturePlayer
from games.registry import get_game
from games.seeds import Stream
from tests.games.conftest import initial
from tests.games.policies import CALLER, PAPER, policy

ROOT = Path(__file__).parents[2]


def numbers(result: MatchResult) -> tuple[object, ...]:
    return result.payoffs, dict(result.a.counts), dict(result.b.counts), result.decisions


def mixed_specs() -> list[MatchSpec]:
    uniform, reaction = initial("rrps", "uniform"), initial("rrps", "last_reaction")
    bully, honest = initial("leduc", "bully"), initial("leduc", "honest")
    mixture = MixturePlayer(((0.5, uniform), (0.5, BotPlayer("rockbot"))))
    return [
        MatchSpec("rrps", uniform, reaction, 7, 1, batch_size=3),
        MatchSpec("rrps", mixture, BotPlayer("markov5"), 6, 2),
        MatchSpec("leduc", bully, honest, 9, 3, batch_size=4),
        MatchSpec("leduc", bully, BotPlayer("uniform"), 5, 4, {"reveal": "always"}),
    ]


def test_one_worker_or_two_and_any_order_give_the_same_numbers(engine: LocalEngine) -> None:
    specs = mixed_specs()
    by_two = engine.play(specs)
    with LocalEngine(workers=1) as single:
        by_one = single.play(specs[::-1])[::-1]
    assert [numbers(r) for r in by_one] == [numbers(r) for r in by_two]


def test_results_survive_json(engine: LocalEngine) -> None:
    (result,) = engine.play(mixed_specs()[:1])
    assert MatchResult.from_json(result.to_json()) == result


def test_on_result_hears_of_every_match_once(engine: LocalEngine) -> None:
    heard: dict[int, MatchResult] = {}
    results = engine.play(mixed_specs(), on_result=heard.__setitem__)
    assert [heard[index] for index in range(len(results))] == results


def test_seats_are_averaged_on_the_same_deals(engine: LocalEngine) -> None:
    # A policy against itself has no advantage once both seats are played on the same cards.
    honest = initial("leduc", "honest")
    (mirror,) = engine.play([MatchSpec("leduc", honest, honest, 6, 1)])
    assert mirror.payoffs == (0.0,) * 6
    forth, back = engine.play(
        [MatchSpec("leduc", honest, CALLER, 6, 1), MatchSpec("leduc", CALLER, honest, 6, 1)]
    )
    assert forth.payoffs == tuple(-payoff for payoff in back.payoffs)


def test_leduc_agrees_with_the_exact_value_within_its_noise(engine: LocalEngine) -> None:
    (result,) = engine.play(
        [MatchSpec("leduc", BotPlayer("cfr_plus"), BotPlayer("always_fold"), 200, 1)]
    )
    assert abs(result.mean - 57.27) < 4 * 8 / 200**0.5


def test_a_mixture_draws_one_component_per_episode_by_seed() -> None:
    mixture = MixturePlayer(((0.25, BotPlayer("rockbot")), (0.75, PAPER), (0.0, CALLER)))
    drawn = [component(mixture, 9, episode, Stream.COMPONENT_A) for episode in range(2000)]
    share = drawn.count(BotPlayer("rockbot")) / len(drawn)
    assert abs(share - 0.25) < 0.04
    assert drawn == [component(mixture, 9, episode, Stream.COMPONENT_A) for episode in range(2000)]


def test_a_mixture_is_worth_the_plays_of_its_components(engine: LocalEngine) -> None:
    mixture = MixturePlayer(((0.5, PAPER), (0.5, BotPlayer("rockbot"))))
    (result,) = engine.play([MatchSpec("rrps", mixture, BotPlayer("rockbot"), 40, 1)])
    assert set(result.payoffs) == {0.0, 1000.0}


def test_swapped_plays_of_the_same_deals_are_never_in_one_batch() -> None:
    spec = MatchSpec("leduc", CALLER, CALLER, 5, 1, batch_size=2)
    batches = cut(get_game("leduc"), spec)
    assert [(b.episodes, b.swapped) for b in batches] == [
        ((0, 1), False),
        ((0, 1), True),
        ((2, 3), False),
        ((2, 3), True),
        ((4,), False),
        ((4,), True),
    ]


def test_should_stop_ends_a_long_match_and_the_engine_plays_on(engine: LocalEngine) -> None:
    long = MatchSpec("rrps", BotPlayer("greenberg"), BotPlayer("greenberg"), 5000, 1)
    asked = iter([False, False, True])
    with pytest.raises(MatchCancelled):
        engine.play([long], should_stop=lambda: next(asked))
    (result,) = engine.play([MatchSpec("rrps", PAPER, BotPlayer("rockbot"), 1, 1)])
    assert result.payoffs == (1000.0,)


def test_a_referee_that_was_killed_is_replaced_and_its_batch_played_again(
    engine: LocalEngine,
) -> None:
    spec = MatchSpec("rrps", BotPlayer("phasenbott"), BotPlayer("markov5"), 16, 1, batch_size=4)
    expected = engine.play([spec])[0].payoffs
    victims = [referee._process.pid for referee in engine._idle]

    def kill_once() -> bool:
        if victims:
            os.kill(victims.pop(), signal.SIGKILL)
        return False

    assert engine.play([spec], should_stop=kill_once)[0].payoffs == expected


def test_a_batch_that_ends_its_referee_twice_is_an_error_that_names_the_match() -> None:
    spec = MatchSpec("rrps", BotPlayer("greenberg"), BotPlayer("markov5"), 64, 1)
    with LocalEngine(workers=1) as engine:

        def kill_all() -> bool:
            for referee in engine._busy:
                os.kill(referee._process.pid, signal.SIGKILL)
            return False

        with pytest.raises(EngineError, match=r"bot:greenberg.*ended its referee twice.*-9"):
            engine.play([spec], should_stop=kill_all)


def test_a_closed_engine_says_so() -> None:
    with LocalEngine() as engine:
        assert engine.level in set(SandboxLevel)
    with pytest.raises(EngineError, match="closed"):
        engine.play([MatchSpec("rrps", PAPER, PAPER, 1, 1)])


def children_of(pid: int) -> set[int]:
    """All live descendants."""
    found: set[int] = set()
    listing = subprocess.run(
        ["ps", "-e", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in listing.stdout.splitlines()]
    frontier = {pid}
    while frontier:
        frontier = {int(p) for p, parent, _ in rows if int(parent) in frontier} - found
        found |= frontier
    return found


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False


LONG_MATCH = """
from games.local_engine import LocalEngine
from games.match import MatchSpec
from games.players import BotPlayer, CodePlayer
source = "class Policy:\\n    def act(self, obs):\\n        return 1"
with LocalEngine(workers=2) as engine:
    print("ready", flush=True)
    engine.play([MatchSpec("rrps", CodePlayer(source), BotPlayer("greenberg"), 100_000, 1)])
"""


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_nothing_runs_on_after_the_process_that_asked_has_died(sent: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", LONG_MATCH],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    deadline = time.monotonic() + 20
    while len(children_of(process.pid)) < 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    descendants = children_of(process.pid)
    assert len(descendants) >= 4
    process.send_signal(sent)
    process.wait(timeout=20)
    process.stdout.close()
    while any(alive(pid) for pid in descendants) and time.monotonic() < deadline + 20:
        time.sleep(0.05)
    assert not [pid for pid in descendants if alive(pid)]


def test_policies_see_what_the_api_describes(engine: LocalEngine) -> None:
    # A policy that raises unless every observation has exactly the documented fields.
    for name in ("rrps", "leduc"):
        fields = sorted(get_game(name).example_observation())
        checking = policy(f"assert sorted(obs) == {fields!r}, sorted(obs)\nreturn 1")
        (result,) = engine.play([MatchSpec(name, checking, checking, 2, 1)])
        assert (result.a.counts, result.a.tracebacks) == ({}, ())


def test_leduc_policies_see_past_hands_that_add_up(engine: LocalEngine) -> None:
    body = """
hands = obs["past_hands"]
assert len(hands) == obs["hand"]
assert sum(hand["payoff"] for hand in hands) == obs["my_total"]
assert obs["pot"] == obs["my_bet"] + obs["opponent_bet"]
for hand in hands:
    assert (hand["opponent_card"] == -1) == (hand["ended"] != "showdown"), hand
return obs["legal_actions"][-1] if obs["hand"] % 2 else obs["legal_actions"][0]
"""
    player = policy(body.strip())
    (result,) = engine.play([MatchSpec("leduc", player, BotPlayer("uniform"), 4, 1)])
    assert (result.a.counts, result.a.tracebacks) == ({}, ())
    shown = body.replace(
        '(hand["opponent_card"] == -1) == (hand["ended"] != "showdown")',
        "hand['opponent_card'] >= 0",
    )
    always = MatchSpec(
        "leduc", policy(shown.strip()), BotPlayer("uniform"), 4, 1, {"reveal": "always"}
    )
    (result,) = engine.play([always])
    assert (result.a.counts, result.a.tracebacks) == ({}, ())
