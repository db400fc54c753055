"""A training in a process of its own (``python -m oracles.baselines.impala.process FD LEVEL``).

PyTorch's memory and threads, the reference bots and the table stay out of the worker, which can end
this process at any time. Messages (:mod:`games.wire`): in comes one task, then at most the word to
finish; out go points of the curve and one result, or the error that kept it from being.
"""

from __future__ import annotations

import socket
import sys
import traceback
from typing import Any

from games import wire
from games.cores import pin_to_free_core
from games.engine import SandboxUnavailable
from games.match import SandboxLevel
from games.referee_process import die_with_parent


def main(descriptor: int, required: SandboxLevel) -> None:
    die_with_parent()
    connection = socket.socket(fileno=descriptor)
    pin_to_free_core()
    from games.sandbox import Sandbox

    try:
        with Sandbox(required=required) as sandbox:
            wire.send(connection, {"level": str(sandbox.level)})
            wire.send(connection, _answer(wire.receive(connection), sandbox, connection))
            wire.receive(connection)  # the worker has the result when it hangs up
    except SandboxUnavailable as error:
        wire.send(connection, {"unavailable": str(error)})
    except EOFError:
        return


def _answer(task: dict[str, Any], sandbox: Any, connection: socket.socket) -> dict[str, Any]:
    from oracles.baselines.impala.task import Task

    try:
        from oracles.baselines.impala.trainer import Training

        asked = Task.from_json(task)
        training = Training(
            game=asked.game,
            opponents=asked.opponents,
            settings=asked.settings,
            seed=asked.seed,
            sandbox=sandbox,
        )
        result = training.run(
            on_point=lambda point: wire.send(connection, {"point": vars(point)}),
            should_finish=lambda: _was_told(connection),
        )
    except Exception as error:  # noqa: BLE001 - it is raised again on the other side
        text = "".join(traceback.format_exception_only(error)).strip()
        return {"error": text, "traceback": traceback.format_exc()}
    return {"result": result}


def _was_told(connection: socket.socket) -> bool:
    """Whether the worker said anything since the task: the one thing it can say is to finish."""
    connection.setblocking(False)
    try:
        return bool(connection.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False
    finally:
        connection.setblocking(True)


if __name__ == "__main__":
    main(int(sys.argv[1]), SandboxLevel(sys.argv[2]))
