"""The engine's end of a referee process: start, ask, notice its death, kill."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from games import wire
from games.engine import EngineError, SandboxUnavailable
from games.match import SandboxLevel

_ROOT = Path(__file__).parents[1]
_STDERR_TAIL = 600
_KEPT = (
    *("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "CSRO_DATA_DIR"),
    *("CSRO_SANDBOX", "CSRO_SANDBOX_NAMESPACES", "CSRO_ALLOW_UNSAFE_POLICIES"),
)


class RefereeHandle:
    """One running referee process; ``module`` is what runs in it.

    Raises:
        SandboxUnavailable: when the machine does not reach the required level.
        EngineError: when the process does not start.
    """

    def __init__(self, required: SandboxLevel, *, module: str = "games.referee_process") -> None:
        ours, theirs = socket.socketpair()
        self.connection = ours
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-m", module, str(theirs.fileno()), required],
                stdin=subprocess.PIPE,
                stdout=self._stderr,
                stderr=self._stderr,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                cwd=_ROOT,
                env={**environment, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"},
            )
        try:
            hello = wire.receive(ours)
        except EOFError as error:
            raise EngineError(f"the referee process did not start: {self.last_words()}") from error
        except BaseException:
            self.kill()
            raise
        if "unavailable" in hello:
            self.kill()
            raise SandboxUnavailable(hello["unavailable"])
        self.level = SandboxLevel(hello["level"])

    def ask(self, batch: dict[str, Any], *, record: bool) -> None:
        """Send a batch to be played. Raises EOFError when the process is dead."""
        try:
            wire.send(self.connection, {"batch": batch, "record": record})
        except OSError as error:
            raise EOFError(str(error)) from error

    def answer(self) -> dict[str, Any]:
        """The next answer of the process. Raises EOFError when the process died of it."""
        answer: dict[str, Any] = wire.receive(self.connection)
        return answer

    def last_words(self) -> str:
        """How the process died, and the end of what it wrote; kills it if it still lives."""
        self._process.kill()
        status = self._process.wait()
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - _STDERR_TAIL))
        text = self._stderr.read().decode(errors="replace").strip()
        self.kill()
        return f"exit status {status}" + (f", {text}" if text else "")

    def kill(self) -> None:
        """End the process now, with everything it started; safe to call twice."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        if self._process.stdin:
            self._process.stdin.close()
        self.connection.close()
        self._stderr.close()
