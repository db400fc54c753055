"""What a policy prints and how it fails comes out as capped, plain, untrusted text."""

from __future__ import annotations

import re
import sys

import pytest

from games.match import FaultKind
from games.sandbox import PolicyFault, ProcessReport, Sandbox
from games.sandbox.text import own_frames
from tests.sandbox.echo import echo_job


def report_of(
    sandbox: Sandbox, body: str, rounds: int = 1, episodes: int = 1, *, guard: bool = False
) -> ProcessReport:
    source = f"class Policy:\n    def act(self, obs):\n        {body}\n        return 0\n"
    with sandbox.spawn(echo_job(source, episodes, guard_imports=guard)) as process:
        process.start()
        for _ in range(rounds):
            process.send(bytes(episodes), episodes)
            process.receive()
        return process.report()


def test_a_traceback_shows_the_policys_own_line(sandbox: Sandbox) -> None:
    ((episode, text),) = report_of(sandbox, "return {}['missing']").tracebacks
    assert episode == 0
    assert "return {}['missing']" in text
    assert "KeyError: 'missing'" in text
    assert "harness" not in text


def test_the_same_fault_is_kept_once(sandbox: Sandbox) -> None:
    assert len(report_of(sandbox, "1 / 0", rounds=50, episodes=2).tracebacks) == 1


def test_prints_come_out_and_control_characters_do_not(sandbox: Sandbox) -> None:
    report = report_of(sandbox, r"print('seen\x1b[2J\x00\u202e', obs['byte'])")
    assert report.output == "seen\ufffd[2J\ufffd\ufffd 0\n"


def test_a_flood_is_cut_and_harms_nobody(sandbox: Sandbox) -> None:
    report = report_of(sandbox, "print('x' * 1000)", rounds=300)
    assert 30_000 <= len(report.output) <= 33_000


def test_a_source_that_does_not_load_fails_every_episode_and_says_why(sandbox: Sandbox) -> None:
    with sandbox.spawn(echo_job("def broken(:\n    pass\n", episodes=3)) as process:
        assert process.start().failed == (0, 1, 2)
        process.send(bytes(3), 3)
        assert memoryview(process.receive()).cast("i").tolist() == [-3, -3, -3]
        ((episode, text),) = process.report().tracebacks
    assert episode == 0
    assert "SyntaxError" in text
    assert "def broken(:" in text


@pytest.mark.parametrize("source", ["x = 1\n", "Policy = 3\n"])
def test_a_program_without_a_policy_says_so(sandbox: Sandbox, source: str) -> None:
    with sandbox.spawn(echo_job(source)) as process:
        assert process.start().failed == (0, 1)
        assert "no class named Policy" in process.report().tracebacks[0][1]


def test_a_constructor_may_fail_for_one_episode_alone(sandbox: Sandbox) -> None:
    source = "class Policy:\n    def __init__(self, player, num_players, game, seed):\n"
    source += "        assert seed != 101\n    def act(self, obs):\n        return 1\n"
    with sandbox.spawn(echo_job(source, episodes=3)) as process:
        assert process.start().failed == (1,)
        process.send(bytes(3), 3)
        assert memoryview(process.receive()).cast("i").tolist() == [1, -3, 1]
        assert "AssertionError" in process.report().tracebacks[0][1]


def test_a_crash_keeps_what_was_printed_before(sandbox: Sandbox) -> None:
    source = "class Policy:\n    def act(self, obs):\n        print('last words')\n"
    source += "        import os\n        os._exit(9)\n"
    with sandbox.spawn(echo_job(source)) as process:
        process.start()
        process.send(bytes(2), 2)
        with pytest.raises(PolicyFault, match="status 9") as caught:
            process.receive()
        assert caught.value.kind is FaultKind.CRASH
        assert process.report().output == "last words\n"
    assert process.report().output == "last words\n"
    assert process.cpu_seconds() is not None


FAULTY_BODIES = [
    "import socket",
    "from numpy import no_such_name",
    "import numpy; numpy.linalg.inv(numpy.zeros((2, 2)))",
    "import numpy; raise ValueError(repr(numpy))",
    "import statistics; statistics.mean([])",
    "sorted([1, 'a'], key=lambda item: {}[item])",
]


@pytest.mark.parametrize("body", FAULTY_BODIES)
def test_a_traceback_has_no_frame_and_no_path_but_the_policys(sandbox: Sandbox, body: str) -> None:
    ((_, text),) = report_of(sandbox, body, guard=True).tracebacks
    assert 'File "policy.py", line 3, in act' in text
    assert set(re.findall(r'File "([^"]*)"', text)) == {"policy.py"}
    assert "/" not in text
    assert "guard" not in text
    assert text.rstrip().split("\n")[-1].strip()


def test_a_forged_traceback_is_cleaned_too_and_twice_is_as_good_as_once() -> None:
    forged = (
        "Traceback (most recent call last):\n"
        '  File "policy.py", line 2, in act\n    go()\n    ~~^^\n'
        f'  File "{sys.prefix}/lib/x/guard.py", line 7, in guarded_import\n    raise it\n'
        "  [Previous line repeated 9 more times]\n"
        f"ImportError: cannot import name 'a' from 'b' ({sys.prefix}/lib/b/__init__.py)\n"
        "\nDuring handling of the above exception, another exception occurred:\n\n"
        f"ValueError: {sys.prefix}/lib\n"
    )
    cleaned = own_frames(forged)
    assert cleaned == (
        "Traceback (most recent call last):\n"
        '  File "policy.py", line 2, in act\n    go()\n    ~~^^\n'
        "ImportError: cannot import name 'a' from 'b' (__init__.py)\n"
        "\nDuring handling of the above exception, another exception occurred:\n\n"
        "ValueError: .../lib\n"
    )
    assert own_frames(cleaned) == cleaned
