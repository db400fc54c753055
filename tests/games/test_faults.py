"""What a fault costs, what it leaves alone, and what the record says about it."""

from __future__ import annotations

import pytest

from games import referee
from games.batches import Batch
from games.leak_probe import probe
from games.local_engine import LocalEngine
from games.match import MatchResult, MatchSpec, SandboxLevel
from games.players import BotPlayer, CodePlayer
from games.sandbox import Sandbox
from tests.games.policies import CALLER, EMPTY, PAPER, policy


def play(
    engine: LocalEngine, player: CodePlayer, bot: str, *, game: str = "rrps", n: int = 3
) -> MatchResult:
    return engine.play([MatchSpec(game, player, BotPlayer(bot), n, 5)])[0]


def test_an_illegal_answer_loses_its_throw_and_nothing_else(engine: LocalEngine) -> None:
    # Paper beats Rock 999 times; the one forfeited throw counts as the one that Rock beats.
    result = play(engine, policy("return 7 if obs['throw'] == 500 else 1"), "rockbot")
    assert result.payoffs == (998.0,) * 3
    assert result.a.counts == {"illegal action": 3}
    assert result.b.total == 0
    assert result.reproducible


@pytest.mark.parametrize("answer", ["'1'", "1.0", "float('nan')", "None", "True", "-1", "10**30"])
def test_what_is_no_legal_integer_is_an_illegal_action(engine: LocalEngine, answer: str) -> None:
    result = play(engine, policy(f"return {answer} if obs['throw'] == 9 else 1"), "rockbot", n=1)
    assert result.a.counts == {"illegal action": 1}
    assert result.payoffs == (998.0,)


def test_numpy_integers_are_legal(engine: LocalEngine) -> None:
    result = play(engine, policy("return numpy.int64(1)", head="import numpy"), "rockbot", n=1)
    assert (result.payoffs, result.a.total) == ((1000.0,), 0)


def test_an_exception_costs_one_decision_and_leaves_its_traceback(engine: LocalEngine) -> None:
    source = policy("return 1 if obs['throw'] % 2 else [][obs['throw']]")
    result = play(engine, source, "rockbot", n=2)
    assert result.payoffs == (0.0, 0.0)
    assert result.a.counts == {"exception": 1000}
    assert any("IndexError" in text for text in result.a.tracebacks)


def test_a_throw_that_both_forfeit_is_a_tie(engine: LocalEngine) -> None:
    broken = policy("raise ValueError('no')")
    (result,) = engine.play([MatchSpec("rrps", broken, broken, 2, 1)])
    assert result.payoffs == (0.0, 0.0)
    assert result.a.counts == result.b.counts == {"exception": 2000}


def test_a_policy_that_cannot_be_constructed_forfeits_everything(engine: LocalEngine) -> None:
    for source in ("def", "class Other: pass", policy("return 1", init="1 / 0").source):
        result = play(engine, CodePlayer(source), "rockbot", n=2)
        assert result.payoffs == (-1000.0, -1000.0)
        assert result.a.counts == {"constructor": 2000}
        assert result.a.tracebacks


def test_leduc_forfeits_fold_or_check(engine: LocalEngine) -> None:
    # Against AlwaysCall nothing is ever to be called, so a broken policy checks every hand down:
    # exactly what the caller itself does.
    broken = play(engine, policy("return 9"), "always_call", game="leduc")
    caller = play(engine, CALLER, "always_call", game="leduc")
    assert broken.payoffs == caller.payoffs
    assert broken.a.counts == {"illegal action": broken.decisions // 2}
    # Against AlwaysRaise it folds as soon as it is raised: one chip a hand.
    assert play(engine, policy("return 9"), "always_raise", game="leduc").payoffs == (-100.0,) * 3


def test_a_dead_process_forfeits_only_the_episodes_that_die_alone(engine: LocalEngine) -> None:
    # The instance with an even seed ends the process in throw 600; the others are innocent.
    source = policy(
        "if self.seed % 2 == 0 and obs['throw'] == 600: raise SystemExit\nreturn 1",
        init="self.seed = seed",
    )
    result = play(engine, source, "rockbot", n=8)
    assert set(result.payoffs) == {1000.0, 600.0 - 400.0}
    deaths = result.payoffs.count(200.0)
    assert 0 < deaths < 8
    assert result.a.counts == {"crash": 400 * deaths}
    assert result.reproducible
    assert play(engine, source, "rockbot", n=8).payoffs == result.payoffs


def test_both_sides_may_die_in_the_same_batch(engine: LocalEngine) -> None:
    dies = [policy(f"if obs['throw'] == {t}: raise SystemExit\nreturn 1") for t in (300, 700)]
    (result,) = engine.play([MatchSpec("rrps", dies[0], dies[1], 2, 1)])
    # Ties, then the first is dead and loses 400 throws, then both are.
    assert result.payoffs == (-400.0, -400.0)
    assert result.a.counts == {"crash": 2 * 700}
    assert result.b.counts == {"crash": 2 * 300}


def test_a_policy_that_hangs_is_timed_out_and_marked_as_not_reproducible(
    engine: LocalEngine,
) -> None:
    source = policy("while obs['throw'] == 990: pass\nreturn 1")
    result = play(engine, source, "rockbot", n=2)
    assert result.payoffs == (980.0, 980.0)
    assert result.a.counts == {"timeout": 20}
    assert not result.reproducible


def test_slow_but_legal_decisions_end_at_the_cpu_budget_of_the_episode(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(referee, "EPISODE_CPU_SECONDS", 0.3)
    # Each decision stays below its 100 ms, but 1000 of them do not fit the budget.
    spinning = policy("n = 0\nfor i in range(200_000): n += i\nreturn 1")
    batch = Batch("rrps", {}, 1, spinning, BotPlayer("rockbot"), (0,))
    with Sandbox(required=SandboxLevel.KERNEL) as sandbox:
        result = referee.play_batch(batch, sandbox)
    assert set(result.a.counts) == {"timeout"}
    assert 0 < result.a.total < 1000
    assert any("of CPU" in text for text in result.a.tracebacks)


def test_no_policy_at_all_still_ends_the_match(engine: LocalEngine) -> None:
    (result,) = engine.play([MatchSpec("leduc", EMPTY, EMPTY, 2, 1)])
    assert result.payoffs == (0.0, 0.0)
    assert result.a.counts == result.b.counts == {"constructor": 800}


def test_state_that_leaks_between_episodes_is_found(engine: LocalEngine) -> None:
    leaky = policy("SEEN.append(1)\nreturn len(SEEN) // 1000 % 3", head="SEEN = []")
    report = probe(engine, MatchSpec("rrps", leaky, BotPlayer("rockbot"), 6, 1))
    assert report.leaks
    assert report.conclusive


def test_policies_that_keep_to_their_instance_do_not_leak(engine: LocalEngine) -> None:
    drawing = policy(
        "return self.random.randrange(3)",
        init="self.random = random.Random(seed)",
        head="import random",
    )
    for player in (PAPER, drawing):
        assert not probe(engine, MatchSpec("rrps", player, BotPlayer("randbot"), 6, 1)).leaks
