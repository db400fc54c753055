"""Every hostile policy, the jail alone against it, at every level this machine reaches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from games.match import SandboxLevel
from games.sandbox import Namespaces
from tests.sandbox.hostile import CASES, LEGAL, Outcome, play_all

HERE = Path(__file__).parent
EXPECTED = json.loads((CASES / "expected.json").read_text())
JAILS = [
    (SandboxLevel.FULL, Namespaces.OWN),
    (SandboxLevel.FULL, Namespaces.BUBBLEWRAP),
    (SandboxLevel.KERNEL, Namespaces.NONE),
]
USERS = ["root", "nobody"] if os.geteuid() == 0 else ["this user"]
NOBODY = 65534
HARMLESS_ENDS = (LEGAL, "illegal action", "exception", "constructor")
DEADLY_ENDS = ("timeout: ", "crash: ", "protocol violation: ")


@cache
def outcome_of(user: str, level: SandboxLevel, namespaces: Namespaces) -> Outcome:
    if user != "nobody":
        return play_all(level, namespaces)
    program = [sys.executable, str(HERE / "hostile.py"), str(level), str(namespaces)]
    command = [sys.executable, str(HERE / "become_nobody.py"), *program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Outcome(**json.loads(done.stdout))


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize(("level", "namespaces"), JAILS)
def test_no_hostile_policy_gets_anything_and_each_ends_as_a_counted_fault_or_an_action(
    user: str, level: SandboxLevel, namespaces: Namespaces
) -> None:
    outcome = outcome_of(user, level, namespaces)
    if outcome.missing is not None:
        assert level is SandboxLevel.FULL, outcome.missing
        assert str(namespaces) in outcome.missing
        return
    assert (outcome.uid == NOBODY) == (user == "nobody" or os.geteuid() == NOBODY)
    assert outcome.harm == []
    assert outcome.left_running == 0
    assert outcome.left_open == 0
    assert len(outcome.ended) == len(list(CASES.glob("*.py")))
    for name, ends in outcome.ended.items():
        assert ends, name
        for end in ends:
            assert end in HARMLESS_ENDS or end.startswith(DEADLY_ENDS), (name, end)
    succeeded = [name for name in EXPECTED["must_fail"] if LEGAL in outcome.ended[name]]
    assert succeeded == []
    hindered = [name for name in EXPECTED["must_answer"] if outcome.ended[name] != [LEGAL]]
    assert hindered == []


def test_every_expectation_names_a_case() -> None:
    names = {path.stem for path in CASES.glob("*.py")}
    assert set(EXPECTED["must_fail"]) | set(EXPECTED["must_answer"]) <= names
