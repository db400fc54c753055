"""Keeps a few processes going, shows what they say, and ends them all together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from csro_web.cli.errors import CommandFailure

TICK_SECONDS = 0.1
GRACE_SECONDS = 10.0
RESTARTS = 5
RESTART_WINDOW_SECONDS = 60.0


@dataclass(frozen=True)
class Job:
    """A process to keep: ``command`` starts with the path of a program."""

    name: str
    command: Sequence[str]
    directory: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    """Names of variables of this process that it must not have."""


@dataclass
class _Child:
    job: Job
    process: subprocess.Popen[str]
    reader: threading.Thread
    starts: deque[float]


class Supervisor:
    """``start()``, then ``watch()`` until ``stop()``. Use from the main thread of a process alone.

    A child that ends is started again, up to :data:`RESTARTS` times a minute. The children have
    sessions of their own, so that Ctrl-C reaches them through ``stop`` only, in good order.
    """

    def __init__(self, jobs: Sequence[Job], say: Callable[[str], None]) -> None:
        self._jobs = jobs
        self._say = say
        self._children: list[_Child] = []
        self._over = False
        self._width = max(len(job.name) for job in jobs)

    def stop(self) -> None:
        """Ends :meth:`watch`; safe in a signal handler."""
        self._over = True

    @property
    def over(self) -> bool:
        return self._over

    def start(self) -> None:
        for job in self._jobs:
            self._children.append(self._launch(job, deque()))

    def watch(self) -> None:
        """Returns after ``stop()``.

        Raises:
            CommandFailure: when a child ends again and again.
        """
        while not self._over:
            self.check()
            time.sleep(TICK_SECONDS)

    def check(self) -> None:
        """Start again what has ended.

        Raises:
            CommandFailure: when a child ends again and again.
        """
        for index, child in enumerate(self._children):
            code = child.process.poll()
            if code is None or self._over:
                continue
            child.reader.join(timeout=1)
            now = time.monotonic()
            recent = deque(t for t in child.starts if now - t < RESTART_WINDOW_SECONDS)
            if len(recent) > RESTARTS:
                raise CommandFailure(
                    f"{child.job.name} ended {len(recent)} times within a minute (last: "
                    f"{_ending(code)}); its last lines above say why"
                )
            self._say(f"{child.job.name} ended ({_ending(code)}); starting it again")
            self._children[index] = self._launch(child.job, recent)

    def end(self) -> None:
        """Ask all children to end, wait a while, then make them."""
        for child in self._children:
            if child.process.poll() is None:
                child.process.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        for child in self._children:
            try:
                child.process.wait(timeout=max(deadline - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                self._say(f"{child.job.name} did not end in time; killing it")
            _kill_session(child.process.pid)
            child.process.wait()
            child.reader.join(timeout=1)
        self._children.clear()

    def _launch(self, job: Job, starts: deque[float]) -> _Child:
        guard = [sys.executable, "-m", "csro_web.launcher.child", str(os.getpid())]
        process = subprocess.Popen(  # noqa: S603
            [*guard, *job.command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd=job.directory,
            env={**_without(job.hidden), **job.environment},
            start_new_session=True,
        )
        assert process.stdout is not None
        reader = threading.Thread(target=self._pass_on, args=(job, process.stdout), daemon=True)
        reader.start()
        starts.append(time.monotonic())
        return _Child(job, process, reader, starts)

    def _pass_on(self, job: Job, lines: IO[str]) -> None:
        for line in lines:
            self._say(f"{job.name:<{self._width}} | {line.rstrip()}")


def _without(hidden: frozenset[str]) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in hidden}


def _kill_session(pid: int) -> None:
    """What a killed child leaves in its session (gunicorn's workers) goes with it."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # all ended by themselves


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"killed by signal {-code}"
