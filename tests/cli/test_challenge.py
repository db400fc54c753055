"""``./csro challenge``: a lower bound in the terminal, with the effort behind it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from games.players import source_sha256
from tests.cli.command import complaint, csro

SMALL = (
    *("--game", "leduc", "--oracle", "linear_refinement", "--proposals", "2"),
    *("--episodes", "32", "--seed", "5"),
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('challenge')}/csro.sqlite3"


@pytest.fixture(scope="module")
def found(database: str) -> Any:
    done = csro("challenge", "bot:always_fold", *SMALL, "--json", "-", DATABASE_URL=database)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_answer_names_its_kind_its_interval_and_its_effort(found: Any) -> None:
    assert found["kind"] == "lower bound"
    assert found["target"] == "bot:always_fold"
    assert found["found"] is True
    assert found["gain"]["low"] <= 100.0, "the exact exploitability of always_fold"
    assert 50 < found["exploitability"] == found["gain"]["mean"]
    assert (
        source_sha256(Path(found["exploiter"]["path"]).read_text()) == found["exploiter"]["sha256"]
    )
    effort = found["effort"]
    assert set(effort) == {"decisions", "proposals", "model_calls", "tokens", "usd", "seconds"}
    assert effort["decisions"] > 32 * 2 * 100
    assert (effort["proposals"], effort["model_calls"]) == (2, 0)
    assert found["seed"] == 5
    assert found["sandbox_level"] in ("full", "kernel")


def test_what_it_found_can_be_challenged_in_turn(found: Any, database: str) -> None:
    sha256 = found["exploiter"]["sha256"]
    done = csro("challenge", sha256[:16], *SMALL, DATABASE_URL=database)
    assert done.returncode == 0, done.stderr
    assert "effort:" in done.stdout
    assert "lower bound" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("bot:nobody", *SMALL), "nobody"),
        (("no-such-file.py", *SMALL), "no-such-file.py"),
        (("bot:always_fold",), "--game is missing"),
        (("bot:always_fold", *SMALL, "--initial", "uniform"), "--initial"),
        (("bot:always_fold", "--game", "leduc", "--oracle", "cfr"), "no best responses"),
        (("run:x", *SMALL), "run:ID"),
        (("run:99999", *SMALL), "no run 99999"),
        (("run:1", *SMALL), "no final mixture"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    arguments: tuple[str, ...], told: str, found: Any, database: str
) -> None:
    done = csro("challenge", *arguments, DATABASE_URL=database)
    assert done.returncode in (1, 2)
    assert told in complaint(done)
