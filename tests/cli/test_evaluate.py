"""``./csro evaluate``: what a policy file is worth against the reference opponents."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from games.registry import get_game
from tests.cli.command import complaint, csro

LEDUC = ("--game", "leduc", "--episodes", "3")
KEYS = {
    "game",
    "game_params",
    "policy",
    "episodes",
    "seed",
    "sandbox_level",
    "pop_return",
    "pop_expl",
    "agg_score",
    "opponents",
    "faults",
    "reproducible",
    "seconds",
    "decisions",
}
CALLER = """\"\"\"Always calls.\"\"\"


class Policy:
    def act(self, obs):
        return 1
"""


def write(path: Path, source: str) -> Path:
    path.write_text(source)
    return path


def evaluate_to_json(*arguments: str | Path) -> Any:
    done = csro("evaluate", *arguments, "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_answer_has_the_promised_keys_and_says_what_was_evaluated(tmp_path: Path) -> None:
    path = write(tmp_path / "caller.py", CALLER)
    answer = evaluate_to_json(path, *LEDUC, "--seed", "7", "--param", "reveal=always")
    assert set(answer) == KEYS
    assert answer["game_params"] == {"reveal": "always"}
    assert answer["policy"] == {
        "path": str(path),
        "sha256": hashlib.sha256(CALLER.encode()).hexdigest(),
    }
    assert (answer["episodes"], answer["seed"]) == (3, 7)
    names = [opponent["name"] for opponent in answer["opponents"]]
    assert names == list(get_game("leduc").evaluation_population())
    assert all(
        set(opponent) == {"name", "mean", "low", "high", "episodes", "faults"}
        for opponent in answer["opponents"]
    )
    by_name = {opponent["name"]: opponent for opponent in answer["opponents"]}
    assert by_name["always_call"]["mean"] == 0, "the same play on the same cards from both seats"
    assert answer["agg_score"]["mean"] == pytest.approx(
        answer["pop_return"]["mean"] - answer["pop_expl"]["mean"]
    )


def test_the_same_arguments_give_the_same_numbers_and_another_seed_gives_others(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "caller.py", CALLER)
    first, again = (evaluate_to_json(path, *LEDUC) for _ in range(2))
    other = evaluate_to_json(path, *LEDUC, "--seed", "1")
    first.pop("seconds"), again.pop("seconds")
    assert first == again
    assert other["opponents"] != first["opponents"]


def test_a_single_episode_has_no_interval(tmp_path: Path) -> None:
    path = write(tmp_path / "caller.py", CALLER)
    answer = evaluate_to_json(path, "--game", "leduc", "--episodes", "1")
    assert answer["pop_return"]["low"] is None
    assert answer["opponents"][0]["high"] is None
    shown = csro("evaluate", path, "--game", "leduc", "--episodes", "1")
    assert "unknown" in shown.stdout


def test_several_files_give_a_list_in_their_order(tmp_path: Path) -> None:
    paths = [write(tmp_path / name, CALLER) for name in ("b.py", "a.py")]
    answers = evaluate_to_json(*paths, *LEDUC)
    assert [answer["policy"]["path"] for answer in answers] == [str(path) for path in paths]


def test_results_go_to_stdout_and_progress_to_stderr(tmp_path: Path) -> None:
    path = write(tmp_path / "caller.py", CALLER)
    answer = tmp_path / "answer.json"
    done = csro("evaluate", path, *LEDUC, "--json", answer)
    assert done.returncode == 0
    assert "AggScore" in done.stdout
    assert "opponents: 3 of 3" in done.stderr
    assert set(json.loads(answer.read_text())) == KEYS


def test_faults_are_counted_and_explained(tmp_path: Path) -> None:
    source = CALLER.replace("return 1", "return 1 if obs['hand'] else 1 / 0")
    path = write(tmp_path / "careless.py", source)
    done = csro("evaluate", path, *LEDUC)
    assert done.returncode == 0, done.stderr
    assert "ZeroDivisionError" in done.stdout
    assert "exception" in done.stdout
    answer = evaluate_to_json(path, *LEDUC)
    assert answer["faults"]["exception"] >= 18


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (
            "    def __init__(self, player, num_players, game, seed):\n        unknown_name\n",
            "line 6",
        ),
        ("    def __init__(self, player, num_players, game, seed):\n        import os\n", "os"),
    ],
)
def test_a_policy_that_cannot_be_constructed_is_a_failure_in_one_line(
    tmp_path: Path, body: str, says: str
) -> None:
    path = write(tmp_path / "dead.py", CALLER.replace("class Policy:\n", f"class Policy:\n{body}"))
    done = csro("evaluate", path, *LEDUC, "--json", tmp_path / "answer.json")
    assert done.returncode == 1
    assert "never made a decision" in complaint(done)
    assert says in done.stderr
    assert not (tmp_path / "answer.json").exists()


@pytest.mark.parametrize("stuck", ["while True: pass\n", "import os; os._exit(3)\n"])
def test_a_file_that_never_gets_as_far_as_a_policy_is_a_failure_in_one_line(
    tmp_path: Path, stuck: str
) -> None:
    path = write(tmp_path / "stuck.py", stuck + CALLER)
    done = csro("evaluate", path, *LEDUC)
    assert done.returncode == 1
    assert "never made a decision" in complaint(done)


def test_a_traceback_cannot_drive_the_readers_terminal(tmp_path: Path) -> None:
    path = write(
        tmp_path / "rude.py", CALLER.replace("return 1", "raise ValueError('\\x1b[2Jgone')")
    )
    done = csro("evaluate", path, *LEDUC)
    assert done.returncode == 0, done.stderr
    assert "gone" in done.stdout
    assert "\x1b" not in done.stdout
