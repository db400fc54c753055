"""``solve``: a whole run in the terminal, the same numbers however it is done."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from typing import Any

from tests.work.place import PATIENCE_SECONDS, Place, wait_for

ARGUMENTS = (
    *("solve", "--game", "leduc", "--iterations", "1", "--refinements", "1"),
    *("--episodes", "2", "--evaluation-episodes", "2", "--seed", "5"),
)
KEYS = {
    *("run", "game", "game_params", "oracle", "writer", "iterations", "final_mixture"),
    *("best_policy", "last_policy", "model_calls", "tokens", "usd", "seconds"),
}


def solve(place: Place, *more: str) -> dict[str, Any]:
    done = place.manage(*ARGUMENTS, *more, "--json", "-")
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_two_processes_and_another_database_give_the_same_numbers(
    places: Callable[[str], Place], undisturbed: dict[str, Any]
) -> None:
    place = places("two")
    answer = solve(place, "--workers", "2")
    assert set(answer) >= KEYS
    assert place.numbers() == undisturbed
    best = answer["best_policy"]
    with open(best["path"], encoding="utf-8") as file:
        assert "class " in file.read()
    assert place.rows("SELECT count(*) FROM runs_step WHERE state <> 'done'") == [(0,)]


def test_a_recorded_run_is_repeated_by_the_writer_replay(place: Place) -> None:
    first = solve(place)
    again = solve(place, "--writer", "replay", "--recording", str(first["run"]))
    for key in ("iterations", "final_mixture", "best_policy"):
        assert again[key] == first[key]


def test_ctrl_c_pauses_the_run_with_nothing_in_work(place: Place) -> None:
    process = place.start(*ARGUMENTS, "--episodes", "2000")
    wait_for("a step in work", lambda: place.step_in_work())
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(timeout=PATIENCE_SECONDS) == 130
    assert place.run_state() == "paused"
    assert place.step_in_work() is None
    assert "run 1 is paused" in place.log.read_text()
    assert "Traceback" not in place.log.read_text()


def test_wrong_usage_is_one_line_and_leaves_no_run(place: Place) -> None:
    for arguments, word in (
        (("--game", "chess"), "chess"),
        (("--game", "leduc", "--initial", "nobody"), "nobody"),
        (("--game", "leduc", "--writer", "replay", "--recording", "9"), "9"),
    ):
        done = place.manage("solve", *arguments)
        assert done.returncode == 2
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        assert word in done.stderr
    assert place.rows("SELECT count(*) FROM runs_run") in ([], [(0,)])
    done = place.manage("solve", "--game", "leduc", "--episodes", "0")
    assert done.returncode == 2
    assert "must be a whole number from 1 to" in done.stderr


def test_the_table_stands_beside_the_published_rows(place: Place) -> None:
    done = place.manage(*ARGUMENTS)
    assert done.returncode == 0, done.stderr
    assert "run 1: best policy" in done.stdout
    assert "published: CSRO, AlphaEvolve" in done.stdout
    assert "+44.90" in done.stdout
