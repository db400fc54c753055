"""``./csro solve``: a whole run in the terminal, on every database and broker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from games.players import source_sha256
from tests.cli.command import complaint, csro

SMALL = (
    *("--game", "leduc", "--oracle", "zero_shot", "--iterations", "1"),
    *("--episodes", "2", "--evaluation-episodes", "2", "--seed", "5"),
)
KEYS = {"run", "game", "game_params", "oracle", "writer", "iterations", "final_mixture"} | {
    "best_policy",
    "last_policy",
    "model_calls",
    "tokens",
    "usd",
    "seconds",
}
SCORES = {"pop_return", "pop_expl", "agg_score"}


def solve(**variables: str) -> Any:
    done = csro("solve", *SMALL, "--json", "-", **variables)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def numbers(answer: Any) -> Any:
    return {key: value for key, value in answer.items() if key not in ("run", "seconds")}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('solve')}/csro.sqlite3"


@pytest.fixture(scope="module")
def solved(database: str) -> Any:
    return solve(DATABASE_URL=database)


def test_the_answer_has_the_promised_keys_and_points_to_the_program(solved: Any) -> None:
    assert set(solved) >= KEYS
    assert solved["iterations"][0].keys() >= {"index", "policy", "sigma", "gain"}
    assert set(solved["final_mixture"]) >= SCORES
    for name in ("best_policy", "last_policy"):
        assert set(solved[name]) >= SCORES | {"sha256", "path"}
        assert source_sha256(Path(solved[name]["path"]).read_text()) == solved[name]["sha256"]
    assert solved["model_calls"] == 0, "the built-in writer is no language model"


def test_what_a_run_found_can_be_played_by_number_by_hash_and_as_a_file(
    solved: Any, database: str
) -> None:
    best = solved["best_policy"]
    for player in (best["sha256"], best["sha256"][:12], best["path"]):
        arguments = ("match", player, "bot:always_call", "--game", "leduc", "--episodes", "2")
        done = csro(*arguments, "--json", "-", DATABASE_URL=database)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["a"]["sha256"] == best["sha256"]
    first = csro("match", "policy:1", "policy:1", "--game", "leduc", DATABASE_URL=database)
    assert first.returncode == 0, first.stderr
    other = csro("match", "policy:1", "bot:rockbot", "--game", "rrps", DATABASE_URL=database)
    assert other.returncode == 1
    assert "plays leduc, not rrps" in complaint(other)


def test_postgresql_and_redis_give_the_same_numbers(
    solved: Any, postgresql_url: str, redis_url: str
) -> None:
    pair = {"DATABASE_URL": postgresql_url, "BROKER_URL": redis_url}
    assert numbers(solve(**pair)) == numbers(solved)
    checked = csro("doctor", **pair)
    assert checked.returncode == 0, checked.stdout
    assert "ok    database: postgresql" in checked.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--game", "chess"), "rrps"),
        (("--game", "leduc", "--iterations", "0"), "iterations"),
        (("--game", "leduc", "--episodes", "1000000"), "episodes"),
        (("--game", "leduc", "--writer", "replay"), "recording"),
        (("--game", "leduc", "--initial", "bot:nobody"), "nobody"),
        (("--game", "leduc", "--oracle", "guess"), "oracle"),
    ],
)
def test_a_run_that_cannot_be_is_one_line_and_makes_no_run(
    arguments: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    done = csro("solve", *arguments, DATABASE_URL=f"sqlite:///{tmp_path}/csro.sqlite3")
    assert done.returncode in (1, 2)
    assert says in complaint(done)


def test_a_database_that_is_not_there_is_one_line() -> None:
    done = csro("solve", *SMALL, DATABASE_URL="postgresql://csro:hidden@127.0.0.1:9/csro")
    assert done.returncode == 1
    assert "DATABASE_URL" in complaint(done)
    assert "hidden" not in done.stderr


def test_slow_libraries_are_loaded_only_when_something_is_computed() -> None:
    """SciPy's distributions alone take longer than everything else that a refusal needs."""
    done = csro("solve", "--help", PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0
    assert "csro_web.solving.report" in done.stderr
    assert "scipy" not in done.stderr
