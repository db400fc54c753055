"""The referee's end of one policy process: messages, deadlines, and what it left behind."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
from collections.abc import Callable
from types import TracebackType
from typing import NoReturn

from games.engine import SandboxUnavailable
from games.match import FaultKind
from games.sandbox import clock
from games.sandbox.jail.harness import HEADER, LOCKED
from games.sandbox.jail.zygote import LOCK_FAILED_STATUS
from games.sandbox.text import parse_faults, plain_text, read_pipe
from games.sandbox.values import (
    CONSTRUCTOR_FAILED,
    Job,
    PolicyFault,
    ProcessReport,
    StartReport,
)
from games.sandbox.watch import Watch

_SLICE_SECONDS = 0.01
_SLICE = struct.pack("@ll", 0, int(_SLICE_SECONDS * 1e6))
_DYING_MILLISECONDS = 1000
_LONGEST_MESSAGE = 64 * 1024 * 1024


class JailNotLocked(SandboxUnavailable):
    """The child could not lock itself, and exited before it read anything of the policy."""


class PolicyProcess:
    """One policy process. Not thread-safe; several may be kept busy at once.

    Life: ``start``, then ``send`` and ``receive`` in turn, then ``close``. After a
    :class:`PolicyFault` the process is dead and only ``report``, ``cpu_seconds`` and ``close``
    remain.
    """

    def __init__(
        self,
        job: Job,
        *,
        pid: int,
        pidfd: int | None,
        connection: socket.socket,
        output: int,
        faults: int,
        reap: Callable[[int], tuple[int, float] | None],
    ) -> None:
        self._job = job
        self._limits = job.limits
        self._small_indexes = bytes(range(min(job.num_actions or 256, 256)))
        self._inner_pid = pid
        self._pidfd = pidfd
        self._pid = pid if pidfd is None else clock.outer_pid(pidfd)
        self._connection = connection
        self._output = output
        self._faults = faults
        self._reap = reap
        self._cpu: float | None = None
        self._status: int | None = None
        self._dead = False
        self._report: ProcessReport | None = None
        self._asked = 0
        self._budget = 0.0
        self._watch: Watch | None = None
        self._begun = self._locked = False
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _SLICE)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _SLICE)

    @property
    def pid(self) -> int:
        """The process's pid as the referee's namespace sees it."""
        return self._pid

    def begin(self) -> None:
        """Hand over the sources and do not wait, so that several processes load at once."""
        job = self._job
        body = {
            "source": job.source,
            "view": job.view_source,
            "setup": dict(job.setup),
            "seed": job.seed % 2**64,
            "guard_imports": job.guard_imports,
        }
        budget = self._limits.construct_seconds + self._limits.decision_seconds * job.num_episodes
        self._begun = True
        self._send(json.dumps(body).encode(), job.num_episodes, budget)

    def start(self) -> StartReport:
        """Load the sources and construct the instances.

        Raises:
            PolicyFault: timeout or crash while loading or constructing.
            JailNotLocked: the child's locks failed; nothing of the policy was read.
        """
        if not self._begun:
            self.begin()
        if self._receive_exactly(len(LOCKED), extra=0) != LOCKED:
            self._violate("the first word was not the jail's")
        self._locked = True
        words = self._receive_exactly(4 * self._job.num_episodes)
        codes = memoryview(words).cast("i").tolist()
        if any(code not in (0, CONSTRUCTOR_FAILED) for code in codes):
            self._violate("a constructor answered a word that it cannot")
        return StartReport(tuple(i for i, code in enumerate(codes) if code))

    def send(self, message: bytes, decisions: int) -> None:
        """Ask for ``decisions`` (at least 1) decisions; ``message`` is the view's own format.

        Raises PolicyFault when the process is gone or does not read.
        """
        if decisions < 1:
            raise ValueError(f"a message must ask for at least one decision, got {decisions}")
        self._send(message, decisions, self._limits.decision_seconds * decisions)

    def receive(self) -> bytes:
        """The reply: exactly one little-endian int32 per decision asked for.

        Each is an index into the decision's legal actions or one of -1, -2, -3. Indexes are
        bounded by ``Job.num_actions`` only: the referee checks them against each decision's own
        legal actions, and calls :meth:`violate` where one lies outside.

        Raises PolicyFault (timeout, crash, protocol violation); the process is then dead.
        """
        expected = 4 * self._asked
        try:
            reply = self._connection.recv(expected + 1)
        except BlockingIOError:
            reply = b""
        except OSError as error:
            self._crash(str(error))
        else:
            if not reply:
                self._crash("it ended")
        if len(reply) != expected:
            reply = self._receive_exactly(expected, reply)
        if (
            reply[::4].translate(None, self._small_indexes)
            or reply[1::4].strip(b"\0")
            or reply[2::4].strip(b"\0")
            or reply[3::4].strip(b"\0")
        ):
            self._check_words(reply)
        return reply

    def violate(self, detail: str) -> PolicyFault:
        """Kill the process for a reply that no honest view sends; the fault to raise or record."""
        self._end()
        return PolicyFault(FaultKind.PROTOCOL, detail)

    def cpu_seconds(self) -> float | None:
        """CPU used so far, or over its life once it is dead; None when unknown."""
        if not self._dead:
            self._cpu = clock.cpu_seconds(self._pid)
        return self._cpu

    def report(self) -> ProcessReport:
        """Tracebacks and output so far (untrusted text). What was read once is kept."""
        known = self._report or ProcessReport()
        if self._output < 0:
            return known
        self._report = ProcessReport(
            known.tracebacks + parse_faults(read_pipe(self._faults)),
            known.output + plain_text(read_pipe(self._output)),
        )
        return self._report

    def close(self) -> None:
        """Kill the process if it lives, and give back every descriptor. May be called twice."""
        self._end()
        if self._output >= 0:
            self.report()
            os.close(self._output)
            os.close(self._faults)
            self._output = self._faults = -1

    def __enter__(self) -> PolicyProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # The fast path above costs one system call each way; what follows runs when something is slow.

    def _check_words(self, reply: bytes) -> None:
        """The exact check, for a reply that is not made of small indexes alone."""
        words = memoryview(reply).cast("i").tolist()
        bound = self._job.num_actions
        if min(words) < CONSTRUCTOR_FAILED or (bound is not None and max(words) >= bound):
            self._violate("a reply named no action")

    def _send(self, body: bytes, asked: int, budget: float) -> None:
        if len(body) > _LONGEST_MESSAGE:
            raise ValueError(f"a message of {len(body)} bytes is longer than {_LONGEST_MESSAGE}")
        if self._dead:
            raise ValueError("this policy process is dead")
        self._asked = asked
        self._budget = budget
        self._watch = None
        data = HEADER.pack(len(body), asked) + body
        try:
            sent = self._connection.send(data)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            self._crash(str(error))
        if sent < len(data):
            self._send_rest(memoryview(data)[sent:])

    def _send_rest(self, rest: memoryview) -> None:
        while rest:
            self._wait(select.POLLOUT)
            try:
                rest = rest[self._connection.send(rest, socket.MSG_DONTWAIT) :]
            except BlockingIOError:
                continue
            except OSError as error:
                self._crash(str(error))

    def _receive_exactly(self, size: int, start: bytes = b"", *, extra: int = 1) -> bytes:
        """``extra`` bytes more are asked for, to notice a reply that is too long."""
        data = start
        while len(data) < size:
            self._wait(select.POLLIN)
            want = size - len(data) + extra
            try:
                part = self._connection.recv(want, socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue
            except OSError as error:
                self._crash(str(error))
            if not part:
                self._crash("it ended")
            data += part
        if len(data) > size:
            self._violate("a reply was longer than what was asked for")
        return data

    def _wait(self, event: int) -> None:
        """Return when the connection is ready; fault when a limit is reached first."""
        poll = select.poll()
        poll.register(self._connection, event)
        if self._watch is None:
            if poll.poll(_SLICE_SECONDS * 1000):
                return
            self._watch = Watch(self._pid, self._limits, self._budget)
        while not poll.poll(self._watch.seconds_left() * 1000 + 1):
            reason = self._watch.exceeded()
            if reason:
                self._end()
                raise PolicyFault(FaultKind.TIMEOUT, reason)

    def _crash(self, how: str) -> NoReturn:
        hung_up = not self._ended_by_itself()
        self._end()
        status = self._status
        report = self.report()
        if status is None:
            raise PolicyFault(FaultKind.CRASH, f"the process ended ({how})")
        if hung_up:
            detail = "it closed its connection and went on"
        elif os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            over = self._cpu is not None and self._cpu >= self._limits.total_cpu_seconds
            if number == signal.SIGXCPU or (number == signal.SIGKILL and over):
                limit = self._limits.total_cpu_seconds
                raise PolicyFault(FaultKind.TIMEOUT, f"it used {limit:g} s of CPU over its life")
            detail = f"the process was killed by {signal.Signals(number).name}"
        elif os.WEXITSTATUS(status) == LOCK_FAILED_STATUS and not self._locked:
            raise JailNotLocked(report.output.strip())
        else:
            detail = f"the process exited with status {os.WEXITSTATUS(status)}"
        raise PolicyFault(FaultKind.CRASH, detail)

    def _ended_by_itself(self) -> bool:
        """Whether the process, whose connection is closed, is dead or about to be."""
        if self._pidfd is None:
            return True
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        return bool(poll.poll(_DYING_MILLISECONDS))

    def _violate(self, detail: str) -> NoReturn:
        raise self.violate(detail)

    def _end(self) -> None:
        """Kill, reap, hang up. Afterwards the process is gone for certain."""
        if self._dead:
            return
        self._cpu = clock.cpu_seconds(self._pid)
        self._dead = True
        self._kill()
        ended = self._reap(self._inner_pid)
        if ended is not None:
            self._status, self._cpu = ended
        if self._pidfd is not None:
            os.close(self._pidfd)
        self._connection.close()

    def _kill(self) -> None:
        try:
            if self._pidfd is not None:
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            else:
                os.kill(self._pid, signal.SIGKILL)
        except ProcessLookupError:
            return
