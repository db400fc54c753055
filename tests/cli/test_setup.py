"""The first ``./csro`` in a clone: makes its environment, or says in one line what to do.

Every test runs the real script with a real installer against an index on loopback.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.local_index import PACKAGE, LocalIndex, lock_line

ROOT = Path(__file__).resolve().parents[2]
UV = shutil.which(
    "uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
)
NEEDING_SETUP = ("bots", "--help")


@dataclass
class Checkout:
    """A clone in a directory with a space in its name, with a lock file of one small package."""

    root: Path
    index: LocalIndex
    url: str
    with_uv: bool = True
    uv_url: str | None = None
    """An address that uv alone is told; None: the same as pip."""

    @property
    def environment(self) -> dict[str, str]:
        tools = self.root.parent / "tools"
        tools.mkdir(exist_ok=True)
        uv = tools / "uv"
        if self.with_uv and not uv.exists():
            uv.symlink_to(str(UV))
        elif not self.with_uv:
            uv.unlink(missing_ok=True)
        home = self.root.parent / "home"
        home.mkdir(exist_ok=True)
        return {
            "PATH": str(tools),
            "HOME": str(home),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_INDEX_URL": self.url,
            "PIP_RETRIES": "0",
            "UV_DEFAULT_INDEX": self.uv_url or self.url,
            "UV_NO_CONFIG": "1",
            "UV_HTTP_RETRIES": "0",
            "NO_PROXY": "127.0.0.1",
        }

    def lock(self, version: str) -> None:
        for name in ("requirements.txt", "requirements-dev.txt"):
            (self.root / name).write_text(lock_line(version))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [base_python(), str(self.root / "csro"), *arguments],
            env=self.environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def installed_version(self) -> str:
        code = f"import {PACKAGE}; print({PACKAGE}.VERSION)"
        python = str(self.root / ".venv/bin/python")
        return subprocess.check_output([python, "-c", code], text=True).strip()


def base_python() -> str:
    """The interpreter that the tests' own environment was made from."""
    return str(Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}")


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    root = tmp_path / "a clone"
    root.mkdir()
    shutil.copy(ROOT / "csro", root / "csro")
    (root / "csro_web").mkdir()
    for module in ("__init__", "version"):
        shutil.copy(ROOT / f"csro_web/{module}.py", root / f"csro_web/{module}.py")
    shutil.copytree(ROOT / "csro_web/cli", root / "csro_web/cli")
    with LocalIndex() as index:
        checkout = Checkout(root, index, index.url)
        checkout.lock("1.0")
        yield checkout


def one_line(text: str) -> str:
    """The only line of a text that says what went wrong, after what was announced."""
    announced = ("csro: making", "csro: still installing", "csro: uv could not")
    lines = [line for line in text.splitlines() if not line.startswith(announced)]
    assert len(lines) == 1, text
    return lines[0]


def test_the_first_command_makes_the_environment_and_says_so_and_the_second_is_silent(
    checkout: Checkout,
) -> None:
    first = checkout.run(*NEEDING_SETUP)
    assert first.returncode == 0, first.stderr
    assert "making" in first.stderr
    assert "with uv" in first.stderr
    assert "usage: ./csro bots" in first.stdout
    assert checkout.installed_version() == "1.0"
    second = checkout.run(*NEEDING_SETUP)
    assert (second.returncode, second.stderr, second.stdout) == (0, "", first.stdout)


def test_without_uv_the_standard_library_and_pip_do_it(checkout: Checkout) -> None:
    checkout.with_uv = False
    first = checkout.run(*NEEDING_SETUP)
    assert first.returncode == 0, first.stderr
    assert "with pip" in first.stderr
    assert checkout.installed_version() == "1.0"


def test_a_changed_lock_file_is_noticed(checkout: Checkout) -> None:
    checkout.run(*NEEDING_SETUP)
    checkout.lock("2.0")
    assert "updating" in checkout.run(*NEEDING_SETUP).stderr
    assert checkout.installed_version() == "2.0"


def test_a_clone_that_was_moved_sets_up_again(checkout: Checkout) -> None:
    checkout.run(*NEEDING_SETUP)
    checkout.root = checkout.root.rename(checkout.root.parent / "moved")
    assert "making" in checkout.run(*NEEDING_SETUP).stderr
    assert checkout.run(*NEEDING_SETUP).stderr == ""


def test_two_first_commands_at_once_make_one_environment(checkout: Checkout) -> None:
    checkout.index.gate.clear()
    first = checkout.start(*NEEDING_SETUP)
    assert checkout.index.asked.wait(60)
    second = checkout.start(*NEEDING_SETUP)
    assert second.stderr is not None
    assert "waiting" in second.stderr.readline()
    checkout.index.gate.set()
    for process in (first, second):
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    assert "making" not in err
    assert checkout.installed_version() == "1.0"


def test_a_set_up_that_was_killed_midway_is_done_again(checkout: Checkout) -> None:
    checkout.index.gate.clear()
    killed = checkout.start(*NEEDING_SETUP)
    assert checkout.index.asked.wait(60)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    checkout.index.gate.set()
    again = checkout.run(*NEEDING_SETUP)
    assert again.returncode == 0, again.stderr
    assert "making" in again.stderr
    assert checkout.installed_version() == "1.0"


def test_an_interrupted_set_up_says_so_and_leaves_no_installer_behind(checkout: Checkout) -> None:
    checkout.index.gate.clear()
    process = checkout.start(*NEEDING_SETUP)
    assert checkout.index.asked.wait(60)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in one_line(err)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    checkout.index.gate.set()
    assert checkout.run(*NEEDING_SETUP).returncode == 0


@pytest.mark.parametrize("with_uv", [True, False], ids=["uv", "pip"])
def test_without_a_network_one_line_says_so_and_the_next_try_works(
    checkout: Checkout, with_uv: bool
) -> None:
    checkout.with_uv = with_uv
    checkout.url = "http://127.0.0.1:9/simple/"
    failed = checkout.run(*NEEDING_SETUP)
    assert failed.returncode == 1
    assert "check the network" in one_line(failed.stderr)
    left = {item.name for item in (checkout.root / ".venv").iterdir()}
    assert left == {"setup.log", "csro-setup.json"}
    checkout.url = checkout.index.url
    assert checkout.run(*NEEDING_SETUP).returncode == 0


def test_where_only_pip_knows_the_way_it_goes_on_with_pip_and_says_so(checkout: Checkout) -> None:
    checkout.uv_url = "http://127.0.0.1:9/simple/"
    first = checkout.run(*NEEDING_SETUP)
    assert first.returncode == 0, first.stderr
    assert "uv could not install them; trying pip" in first.stderr
    assert checkout.installed_version() == "1.0"
    checkout.lock("2.0")
    assert checkout.run(*NEEDING_SETUP).returncode == 0
    assert checkout.installed_version() == "2.0"


@pytest.mark.parametrize("with_uv", [True, False], ids=["uv", "pip"])
def test_a_package_that_differs_from_its_hash_is_refused(checkout: Checkout, with_uv: bool) -> None:
    checkout.with_uv = with_uv
    wrong = lock_line("1.0").replace("1.0 ", "2.0 ")
    (checkout.root / "requirements.txt").write_text(wrong)
    failed = checkout.run(*NEEDING_SETUP)
    assert failed.returncode == 1
    assert "recorded hash" in one_line(failed.stderr)


def test_an_environment_of_someone_else_is_never_touched(checkout: Checkout) -> None:
    (checkout.root / ".venv").mkdir()
    (checkout.root / ".venv/precious").write_text("mine")
    failed = checkout.run(*NEEDING_SETUP)
    assert failed.returncode == 1
    assert "was not made by ./csro" in one_line(failed.stderr)
    assert (checkout.root / ".venv/precious").read_text() == "mine"


def test_secrets_of_the_user_do_not_reach_the_installer(checkout: Checkout, tmp_path: Path) -> None:
    checkout.environment  # noqa: B018 (makes the tools directory)
    seen = tmp_path / "seen"
    uv = tmp_path / "tools/uv"
    uv.unlink()
    uv.write_text(f'#!/bin/sh\nexport -p >> "{seen}"\nexec "{UV}" "$@"\n')
    uv.chmod(0o755)
    environment = {**checkout.environment, "SOME_API_KEY": "do-not-tell"}
    subprocess.run(
        [base_python(), str(checkout.root / "csro"), *NEEDING_SETUP],
        env=environment,
        check=True,
        capture_output=True,
    )
    assert "PATH=" in seen.read_text()
    assert "do-not-tell" not in seen.read_text()


def test_help_needs_no_environment(checkout: Checkout) -> None:
    done = checkout.run("help")
    assert done.returncode == 0
    assert "./csro COMMAND" in done.stdout
    assert not (checkout.root / ".venv").exists()


def run_as(checkout: Checkout, pretence: str) -> subprocess.CompletedProcess[str]:
    """Runs the script after a line of Python that takes something away from the interpreter."""
    script = str(checkout.root / "csro")
    code = (
        f"import runpy, sys; {pretence}; sys.argv = [{script!r}, 'bots', '--help']; "
        f"runpy.run_path({script!r}, run_name='__main__')"
    )
    environment = {**checkout.environment, "PATH": str(checkout.root)}
    return subprocess.run(
        [base_python(), "-c", code], env=environment, capture_output=True, text=True
    )


def test_a_python_that_is_too_old_is_named_with_what_to_do(checkout: Checkout) -> None:
    failed = run_as(checkout, "sys.version_info = (3, 9, 2, 'final', 0)")
    assert failed.returncode == 1
    assert "needs Python 3.11 or newer and this is 3.9.2" in one_line(failed.stderr)


def test_a_python_without_venv_is_told_how_to_get_it(checkout: Checkout) -> None:
    failed = run_as(checkout, "sys.modules['ensurepip'] = None")
    assert failed.returncode == 1
    assert "apt install python3-venv" in one_line(failed.stderr)
    assert not (checkout.root / ".venv").exists()
