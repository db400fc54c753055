"""The referee's end of a zygote: start it, have it fork, hear how its children ended."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import threading

from games.engine import EngineError
from games.match import SandboxLevel
from games.sandbox import bubblewrap
from games.sandbox.interpreter import ENVIRONMENT, HARNESS_DIRECTORY, Interpreter, describe
from games.sandbox.jail.zygote import ANSWER, REQUEST, SPAWN, WAIT
from games.sandbox.process import PolicyProcess
from games.sandbox.settings import Namespaces
from games.sandbox.values import Job

_START_SECONDS = 60.0
_STOP_SECONDS = 5.0


class ZygoteDied(Exception):
    """The zygote is gone; its message is what it said last."""


class Zygote:
    """One zygote process. Thread-safe. Raises ZygoteDied at birth when it cannot enter its jail."""

    def __init__(
        self,
        interpreter: Interpreter,
        level: SandboxLevel,
        namespaces: Namespaces,
    ) -> None:
        command = _command(interpreter, level, namespaces)
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._last_words = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the zygote
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and arguments
                command,
                stdin=theirs.fileno(),
                stdout=self._last_words,
                stderr=self._last_words,
                env=ENVIRONMENT,
                cwd="/",
                start_new_session=True,
            )
        self._control.settimeout(_START_SECONDS)
        self._expect_ready()
        self._control.settimeout(None)

    @property
    def mine(self) -> bool:
        """Whether this process started it (a fork of that process must start its own)."""
        return self._owner == os.getpid()

    @property
    def pid(self) -> int:
        return self._process.pid

    def spawn(self, job: Job) -> PolicyProcess:
        """Fork a policy process for ``job``. Raises ZygoteDied, or EngineError: no room."""
        ours, theirs = socket.socketpair()
        output, output_end = _pipe()
        faults, faults_end = _pipe()
        try:
            pid, pidfd = self._fork(job, [theirs.fileno(), output_end, faults_end])
        except (ZygoteDied, EngineError):
            ours.close()
            os.close(output)
            os.close(faults)
            raise
        finally:
            theirs.close()
            os.close(output_end)
            os.close(faults_end)
        return PolicyProcess(
            job,
            pid=pid,
            pidfd=pidfd,
            connection=ours,
            output=output,
            faults=faults,
            reap=self._wait_for,
        )

    def close(self) -> None:
        """End the zygote, and with it every process it forked."""
        self._control.close()
        if self.mine:
            try:
                self._process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._last_words.close()

    def _fork(self, job: Job, descriptors: list[int]) -> tuple[int, int | None]:
        limits = job.limits
        cpu = int(-(-limits.total_cpu_seconds // 1))
        request = REQUEST.pack(SPAWN, limits.address_space, cpu, limits.open_files, 0)
        with self._lock:
            try:
                socket.send_fds(self._control, [request], descriptors)
                data, received, _, _ = socket.recv_fds(self._control, ANSWER.size, 1)
            except OSError as error:
                raise ZygoteDied(self._why(str(error))) from error
        if len(data) < ANSWER.size:
            raise ZygoteDied(self._why("it hung up"))
        pid: int = ANSWER.unpack(data)[0]
        if pid < 0:
            why = os.strerror(-pid)
            raise EngineError(f"no policy process can be forked ({why}): fewer workers may help")
        return pid, received[0] if received else None

    def _wait_for(self, pid: int) -> tuple[int, float] | None:
        """Wait status and CPU seconds of a child that ended; None when unknown."""
        with self._lock:
            try:
                self._control.sendall(REQUEST.pack(WAIT, pid, 0, 0, 0))
                data = self._control.recv(ANSWER.size, socket.MSG_WAITALL)
            except OSError:
                return None
        if len(data) < ANSWER.size:
            return None
        _, status, microseconds = ANSWER.unpack(data)
        return status, microseconds / 1e6

    def _expect_ready(self) -> None:
        try:
            word = self._control.recv(5, socket.MSG_WAITALL)
        except OSError as error:
            word = str(error).encode()
        if word != b"ready":
            why = self._why(word.decode() or "it ended before it was ready")
            self.close()
            raise ZygoteDied(why)

    def _why(self, otherwise: str) -> str:
        """The last line that the zygote wrote."""
        self._last_words.seek(0)
        lines = self._last_words.read(64 * 1024).decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else otherwise


def _command(interpreter: Interpreter, level: SandboxLevel, namespaces: Namespaces) -> list[str]:
    parent = _parent_to_die_with()
    plan = {
        "level": str(level),
        "own_namespaces": namespaces is Namespaces.OWN,
        "site": interpreter.site,
        "parent": 0 if namespaces is Namespaces.BUBBLEWRAP else parent,
    }
    if namespaces is not Namespaces.BUBBLEWRAP:
        return interpreter.command(HARNESS_DIRECTORY, "zygote", json.dumps(plan))
    bwrap = bubblewrap.program()
    if bwrap is None:
        raise ZygoteDied("bubblewrap is not installed")
    try:
        description = describe(interpreter)
    except OSError as error:
        raise ZygoteDied(str(error)) from error
    wrapper = bubblewrap.command(
        bwrap, interpreter.program, description, die_with_parent=parent != 0
    )
    return wrapper + interpreter.command(bubblewrap.HARNESS_INSIDE, "zygote", json.dumps(plan))


def _parent_to_die_with() -> int:
    """This process, if the calling thread lives as long as it does; else 0.

    The kernel's parent-death signal follows the *thread*; elsewhere the zygote's end comes with
    the hang-up of its control socket alone.
    """
    on_main_thread = threading.current_thread() is threading.main_thread()
    return os.getpid() if on_main_thread else 0


def _pipe() -> tuple[int, int]:
    """Neither end blocks: nobody drains it while the policy runs."""
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    os.set_blocking(write_end, False)
    return read_end, write_end
