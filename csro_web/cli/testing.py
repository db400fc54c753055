"""``./csro test``: pytest over the product, in an environment without the user's secrets."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from csro_web.cli.errors import CommandFailure
from csro_web.environment import cores
from csro_web.logs import names_a_secret

ROOT = Path(__file__).resolve().parents[2]
QUIET = {"-q", "-v", "-x"}
"""Arguments beside which the whole suite still runs in several processes."""
MOST_PROCESSES = 4
HELP = """usage: ./csro test [--all] [PYTEST ARGUMENTS]

Runs the tests from the repository's root. What needs PostgreSQL, Redis, a browser or bubblewrap
runs where they are installed; the summary says what was left out. Without arguments for pytest the
files are spread over the machine's cores.

  --all   a missing one is an error
"""


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without variables whose names say that they hold a secret."""
    return {name: value for name, value in environment.items() if not names_a_secret(name)}


def pytest_arguments(arguments: Sequence[str]) -> list[str]:
    """What pytest gets. The whole suite runs in several processes, a file always in one of them."""
    rest = [argument for argument in arguments if argument != "--all"]
    if not set(rest) <= QUIET:
        return rest
    processes = min(cores(), MOST_PROCESSES)
    return ["-n", str(processes), "--dist", "loadfile", *rest]


def main(_name: str, arguments: Sequence[str]) -> int:
    """Runs pytest on a data directory of its own, which goes with it."""
    if arguments and arguments[0] in ("-h", "--help"):
        print(HELP, end="")
        return 0
    if importlib.util.find_spec("pytest") is None:
        raise CommandFailure(
            "this environment has no pytest: unset CSRO_VENV, or install requirements-dev.txt there"
        )
    rest = pytest_arguments(arguments)
    environment = clean_environment(os.environ)
    environment["CSRO_TEST_ALL"] = "1" if "--all" in arguments else ""
    environment["CSRO_VENV"] = sys.prefix
    sys.stdout.flush()
    with tempfile.TemporaryDirectory(prefix="csro-test-") as data:
        environment["CSRO_DATA_DIR"] = data
        command = [sys.executable, "-m", "pytest", *rest]
        with subprocess.Popen(command, cwd=ROOT, env=environment) as process:  # noqa: S603
            return _wait(process)


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Waits through a Ctrl-C: pytest got it too, and prints its summary before it ends."""
    while True:
        try:
            code = process.wait()
        except KeyboardInterrupt:
            continue
        return 1 if code < 0 else min(code, 1)
