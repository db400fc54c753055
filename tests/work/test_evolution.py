"""An evolution by real workers: the same programs in the same islands, whoever does the work.

The islands are kept nowhere beside the step results, so no checkpoint can come back without them.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.work.place import Place, is_running, wait_for

CONFIG = {
    "game": "leduc",
    "oracle": "alpha_evolve",
    "iterations": 1,
    "proposals": 6,
    "evolution": {"islands": 2, "window": 3, "migration": 2, "screen_episodes": 1},
    "episodes": 2,
    "evaluation_episodes": 1,
    "seed": 5,
}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Iterator[dict[str, Any]]:
    """The numbers of one process that does all steps in order."""
    place = Place(tmp_path_factory.mktemp("alone") / "place", cache)
    try:
        run = place.launch_tiny_run(CONFIG)
        done = place.manage("help_solve", str(run))
        assert done.returncode == 0, done.stderr
        place.wait_until_finished()
        yield place.numbers()
    finally:
        place.close()


def test_the_islands_are_in_the_database(alone: dict[str, Any]) -> None:
    ((_, _, _, evolution),) = alone["iterations"]
    assert {elite["island"] for elite in evolution["elites"]} == {0, 1}
    assert len(alone["candidates"]) == 6
    assert all(candidate[-1]["stage"] for candidate in alone["candidates"])
    assert alone["policies"]


def test_two_workers_make_the_same_run(place: Place, alone: dict[str, Any]) -> None:
    place.launch_tiny_run(CONFIG)
    place.start("reconcile")
    place.start("worker")
    place.start("worker")
    place.wait_until_finished()
    assert place.numbers() == alone


def test_after_kill_9_it_goes_on_with_the_same_programs_in_the_same_islands(
    places: Callable[[str], Place], alone: dict[str, Any]
) -> None:
    place = places("killed")
    place.launch_tiny_run(CONFIG)
    place.start("reconcile")
    place.start("worker")

    def in_the_middle() -> int | None:
        step = place.step_in_work()
        tried = place.rows("SELECT count(*) FROM policies_candidate")
        return step[1] if step and tried and tried[0][0] >= 3 else None

    pid = wait_for("three candidates and a step in work", in_the_middle)
    saved = place.done_steps()
    os.kill(pid, signal.SIGKILL)
    wait_for("the worker's death", lambda: not is_running(pid))
    place.start("worker")
    place.wait_until_finished()
    assert place.numbers() == alone
    done = place.done_steps()
    assert {key: done[key] for key in saved} == saved
