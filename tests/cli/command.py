"""Runs ``./csro`` as a user does: the script, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = str(ROOT / "csro")


def environment(**changes: str) -> dict[str, str]:
    """This process's environment, with the tests' own Python environment and these changes."""
    return {**os.environ, "CSRO_VENV": sys.prefix, **changes}


def csro(
    *arguments: str | Path, cwd: Path | None = None, **changes: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, *map(str, arguments)],
        cwd=cwd,
        env=environment(**changes),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """The one line in which a command said why it failed; stdout must be empty."""
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in done.stderr
    return lines[0]
