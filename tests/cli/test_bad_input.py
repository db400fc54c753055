"""Whatever is wrong with the input, a command says so in one line and leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import ROOT, SCRIPT, complaint, csro, environment

GOOD = "class Policy:\n    def act(self, obs):\n        return 0\n"
LEDUC = ("--game", "leduc", "--episodes", "2")


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.py"
    path.write_text(GOOD)
    return path


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nonsense",), "no such command"),
        (("bots",), "--game"),
        (("bots", "--game", "chess"), "known games: rrps, leduc"),
        (("bots", "--game", "leduc", "--param", "reveal"), "KEY=VALUE"),
        (("bots", "--game", "leduc", "--param", "reveal=never"), "showdown, always"),
        (("bots", "--game", "rrps", "--param", "x=1"), "no parameters"),
        (("match", "bot:nobody", "bot:uniform", *LEDUC), "no bot named 'nobody'"),
        (("match", "policy:first", "bot:uniform", *LEDUC), "policy:ID"),
        (("match", "bot:uniform", "bot:uniform", "--game", "leduc", "--wrong"), "--wrong"),
        (("match", "bot:uniform", "bot:uniform", *LEDUC, "--record", "-"), "--record"),
        (("run", "--port", "99999"), "99999 is not between 1 and 65,535"),
        (("run", "--port", "web"), "'web' is not a whole number"),
        (("run", "--workers", "0"), "0 is not between 1 and 64"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(arguments: tuple[str, ...], says: str) -> None:
    done = csro(*arguments)
    assert done.returncode == 2
    assert says in complaint(done)


@pytest.mark.parametrize("episodes", ["0", "-5", "10001", "9" * 5000, "ten", "1.5", ""])
def test_episodes_out_of_range_are_refused_before_anything_is_played(
    policy: Path, episodes: str
) -> None:
    done = csro("evaluate", policy, "--game", "leduc", "--episodes", episodes)
    assert done.returncode == 2
    assert "--episodes" in complaint(done)


@pytest.mark.parametrize("seed", ["-1", str(2**63), "x"])
def test_seeds_out_of_range_are_refused(policy: Path, seed: str) -> None:
    done = csro("match", policy, "bot:uniform", *LEDUC, "--seed", seed)
    assert done.returncode == 2
    assert "--seed" in complaint(done)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"def act(:\n", "line 1"),
        (b"class Policy:\n    def act(self, obs):\n        return 0 0\n", "line 3"),
        (b"\x7fELF\x02\x01\x01\x00\xff\xfe", "not UTF-8"),
        (b"x = 1\0", "null bytes"),
        (b"", "no class Policy"),
        (b"import os\n", "no class Policy"),
        (b"(" * 5000, "does not compile"),
        (b"x = " + b"-" * 60_000 + b"1\n", "does not compile"),
        (b"#" * 2_000_000, "larger than"),
    ],
    ids=["no python", "syntax", "binary", "nul", "empty", "no policy", "nested", "deep", "huge"],
)
def test_a_file_that_is_no_policy_says_why(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "broken.py"
    path.write_bytes(content)
    answer = tmp_path / "answer.json"
    done = csro("evaluate", path, *LEDUC, "--json", answer)
    assert done.returncode == 1
    assert says in complaint(done)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["broken.py"]


@pytest.mark.parametrize("command", ["evaluate", "match"])
def test_missing_files_and_directories_say_so(tmp_path: Path, command: str) -> None:
    other = ["bot:uniform"] if command == "match" else []
    for path, says in ((tmp_path / "nowhere.py", "no such file"), (tmp_path, "directory")):
        done = csro(command, path, *other, *LEDUC)
        assert done.returncode == 1
        assert says in complaint(done)


def test_a_file_without_permission_says_so(policy: Path) -> None:
    policy.chmod(0)
    reader = (
        "import os, sys\n"
        "from csro_web.cli.errors import CommandFailure\n"
        "from csro_web.cli.files import read_text\n"
        "if os.geteuid() == 0:\n"
        "    os.setuid(65534)\n"
        "try:\n"
        "    read_text(sys.argv[1])\n"
        "except CommandFailure as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", reader, str(policy)], cwd=ROOT, capture_output=True, text=True
    )
    assert "Permission denied" in done.stdout, done.stderr
    assert len(done.stdout.splitlines()) == 1


def test_the_json_target_is_checked_before_the_work(policy: Path, tmp_path: Path) -> None:
    for target, says in ((tmp_path, "directory"), (tmp_path / "no/where.json", "no directory")):
        done = csro("evaluate", policy, *LEDUC, "--json", target)
        assert done.returncode == 1
        assert says in complaint(done)


def test_a_full_disk_is_one_line_and_leaves_the_old_answer(policy: Path, tmp_path: Path) -> None:
    done = csro("bots", "--game", "leduc", "--json", "/dev/full")
    assert done.returncode == 1
    assert "disk is full" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_result_larger_than_the_process_may_write_leaves_the_old_answer(tmp_path: Path) -> None:
    answer = tmp_path / "answer.json"
    answer.write_text("old")
    bots = [sys.executable, SCRIPT, "bots", "--game", "rrps", "--json", str(answer)]
    done = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *bots],
        env=environment(PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "may write" in done.stderr
    assert answer.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["answer.json"]


def test_output_that_cannot_be_written_is_a_failure_in_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, SCRIPT, "bots", "--game", "rrps"],
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "disk is full" in done.stderr


def test_a_reader_that_leaves_early_is_no_error_worth_a_word() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" | true', "sh", sys.executable, SCRIPT, "bots", "--game", "rrps"],
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.stderr == ""


@pytest.mark.parametrize("player", ["policy:1", "0123456789abcdef"])
def test_a_database_that_is_not_there_is_one_line(player: str) -> None:
    for url in ("sqlite:////nowhere/at/all.sqlite3", "postgresql://csro:hidden@127.0.0.1:9/csro"):
        done = csro("match", player, "bot:uniform", *LEDUC, DATABASE_URL=url)
        assert done.returncode == 1
        line = complaint(done)
        assert "database" in line
        assert "DATABASE_URL" in line
        assert "hidden" not in line


def test_django_commands_without_their_database_are_one_line() -> None:
    done = csro("manage", "migrate", DATABASE_URL="postgresql://csro:hidden@127.0.0.1:9/csro")
    assert done.returncode == 1
    line = complaint(done)
    assert "DATABASE_URL" in line
    assert "hidden" not in line


def test_an_environment_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    done = csro("bots", "--game", "rrps", CSRO_VENV=str(tmp_path / "nowhere"))
    assert done.returncode == 1
    assert "CSRO_VENV" in complaint(done)
