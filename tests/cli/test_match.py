"""``./csro match``: two players, named in any of the ways that the command line knows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import SCRIPT, complaint, csro, environment

KEYS = {
    "game",
    "game_params",
    "a",
    "b",
    "episodes",
    "seed",
    "sandbox_level",
    "mean",
    "low",
    "high",
    "faults",
    "reproducible",
    "seconds",
    "decisions",
}
LEDUC = ("--game", "leduc", "--episodes", "4")


def match_to_json(*arguments: str | Path, **variables: str) -> Any:
    done = csro("match", *arguments, "--json", "-", **variables)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_deterministic_bots_have_an_exact_payoff_that_changes_sign_with_the_sides() -> None:
    episodes = ("--game", "rrps", "--episodes", "2")
    there = match_to_json("bot:rockbot", "bot:rotatebot", *episodes)
    back = match_to_json("bot:rotatebot", "bot:rockbot", *episodes)
    assert set(there) == KEYS
    assert there["mean"] == -back["mean"]
    assert there["low"] == there["high"] == there["mean"]
    assert there["faults"] == {"a": 0, "b": 0}


def test_a_recorded_match_has_every_decision_and_the_same_payoff(tmp_path: Path) -> None:
    record = tmp_path / "match.json"
    arguments = ("bot:always_call", "bot:always_raise", *LEDUC)
    answer = match_to_json(*arguments, "--record", record)
    recording = json.loads(record.read_text())
    assert answer["mean"] == match_to_json(*arguments)["mean"]
    assert len(recording["episodes"]) == 8, "each episode from both seats"
    assert all(len(episode["moves"]) == 100 for episode in recording["episodes"])
    payoffs = [episode["payoff"] for episode in recording["episodes"]]
    assert sum(payoffs) / len(payoffs) == pytest.approx(answer["mean"])


def test_a_file_that_looks_like_a_hash_is_still_a_file(tmp_path: Path) -> None:
    (tmp_path / "deadbeef").write_text("class Policy:\n    def act(self, obs):\n        return 1\n")
    done = csro("match", "deadbeef", "bot:always_call", *LEDUC, "--json", "-", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["mean"] == 0


def test_a_hash_or_number_that_no_policy_has_is_one_line(tmp_path: Path) -> None:
    variables = {"DATABASE_URL": f"sqlite:///{tmp_path}/empty.sqlite3"}
    assert csro("manage", "migrate", "-v0", **variables).returncode == 0
    for player, says in (("0123456789abcdef", "neither a file"), ("policy:12", "no policy 12")):
        done = csro("match", player, "bot:uniform", *LEDUC, **variables)
        assert done.returncode == 1
        assert says in complaint(done)


def test_ctrl_c_ends_a_match_at_once_with_nothing_left_running(tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text(
        "class Policy:\n    def act(self, obs):\n        return sum(range(300000)) * 0\n"
    )
    arguments = ["match", str(slow), "bot:rockbot", "--game", "rrps", "--json", "answer.json"]
    process = subprocess.Popen(
        [sys.executable, SCRIPT, *arguments],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    assert "0 of 1" in process.stderr.readline()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert err.strip() == "csro match: interrupted"
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["slow.py"]
