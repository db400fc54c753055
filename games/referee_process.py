"""A referee in a process of its own (``python -m games.referee_process FD LEVEL``).

Native bots can abort and policies can hang, so whoever asks for matches must outlive the referee.
This process answers one batch after the other and dies with the process that started it.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import traceback
from typing import Any

from games import wire
from games.batches import Batch
from games.cores import pin_to_free_core
from games.engine import SandboxUnavailable
from games.match import SandboxLevel


def main(descriptor: int, required: SandboxLevel) -> None:
    die_with_parent()
    connection = socket.socket(fileno=descriptor)
    pin_to_free_core()
    from games.referee import play_batch
    from games.sandbox import Sandbox

    try:
        with Sandbox(required=required) as sandbox:
            wire.send(connection, {"level": str(sandbox.level)})
            while True:
                request = wire.receive(connection)
                wire.send(connection, _answer(request, sandbox, play_batch))
    except SandboxUnavailable as error:
        wire.send(connection, {"unavailable": str(error)})
    except EOFError:
        return


def _answer(request: dict[str, Any], sandbox: Any, play_batch: Any) -> dict[str, Any]:
    """The result of a batch, or the error that kept it from being played, as data."""
    try:
        batch = Batch.from_json(request["batch"])
        result = play_batch(batch, sandbox, record=request["record"])
    except Exception as error:  # noqa: BLE001 - it is raised again on the other side
        text = "".join(traceback.format_exception_only(error)).strip()
        return {"error": text, "traceback": traceback.format_exc()}
    return {"result": result.to_json()}


def die_with_parent() -> None:
    """A thread waits for the end of stdin, which comes with the parent's end however that dies.

    (PDEATHSIG would fire when the *thread* that started this process ends.)
    """

    def wait() -> None:
        while os.read(0, 64):
            pass
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    main(int(sys.argv[1]), SandboxLevel(sys.argv[2]))
