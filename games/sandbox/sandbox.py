"""The sandbox: the strongest jail that works here, and policy processes in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy

from games.engine import SandboxUnavailable
from games.match import SandboxLevel
from games.sandbox.process import PolicyProcess
from games.sandbox.settings import Namespaces, Settings
from games.sandbox.values import Job
from games.sandbox.zygote import Interpreter, Zygote, ZygoteDied

_STRENGTH = {SandboxLevel.PROCESS: 0, SandboxLevel.KERNEL: 1, SandboxLevel.FULL: 2}


def default_interpreter() -> Interpreter:
    """The interpreter below the running one's virtual environment, with the running NumPy."""
    program: str = getattr(sys, "_base_executable", None) or sys.executable
    return Interpreter(str(Path(program).resolve()), str(Path(numpy.__file__).parent.parent))


@dataclass(frozen=True)
class Attempt:
    """One way to a level, and why it failed (None: it works)."""

    level: SandboxLevel
    namespaces: Namespaces
    failure: str | None = None


class Sandbox:
    """Policy processes at the strongest level that works, found by trying.

    Settings come from the environment (:mod:`games.sandbox.settings`) unless given.

    Raises:
        SandboxUnavailable: nothing at ``required`` or above works; the message says what is
            missing and what would add it.
    """

    def __init__(
        self,
        *,
        required: SandboxLevel = SandboxLevel.KERNEL,
        settings: Settings | None = None,
        interpreter: Interpreter | None = None,
    ) -> None:
        self._settings = settings or Settings.from_environment()
        self._interpreter = interpreter or default_interpreter()
        if self._settings.allow_unsafe:
            required = SandboxLevel.PROCESS
        self._zygote, self._way = self._find(required)

    @property
    def level(self) -> SandboxLevel:
        return self._way.level

    @property
    def namespaces(self) -> Namespaces:
        """What makes the namespaces: ``none`` below level ``full``."""
        return self._way.namespaces

    def spawn(self, job: Job) -> PolicyProcess:
        """A new policy process (about 3 ms). A zygote that died is replaced without a word.

        Raises EngineError when no zygote can be had any more.
        """
        if self._zygote.mine:
            try:
                return self._zygote.spawn(job)
            except ZygoteDied:
                self._zygote.close()
        try:
            self._zygote = self._open(self._way)
            return self._zygote.spawn(job)
        except ZygoteDied as error:
            raise SandboxUnavailable(
                f"the sandbox worked before and does not now: {error}"
            ) from error

    def close(self) -> None:
        """End the zygote and every policy process."""
        self._zygote.close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _find(self, required: SandboxLevel) -> tuple[Zygote, Attempt]:
        failures: list[str] = []
        for way in ways(self._settings):
            if _STRENGTH[way.level] < _STRENGTH[required]:
                continue
            try:
                return self._open(way), way
            except ZygoteDied as error:
                failures.append(f"{way.level} ({way.namespaces}): {error}")
        raise SandboxUnavailable("; ".join(failures) or "no way to the required level")

    def _open(self, way: Attempt) -> Zygote:
        return Zygote(self._interpreter, way.level, way.namespaces)


def ways(settings: Settings) -> Iterator[Attempt]:
    """All ways to a level that the settings leave open, strongest first."""
    for level, namespaces in (
        (SandboxLevel.FULL, Namespaces.OWN),
        (SandboxLevel.KERNEL, Namespaces.NONE),
        (SandboxLevel.PROCESS, Namespaces.NONE),
    ):
        if settings.level not in (None, level):
            continue
        if level is SandboxLevel.FULL and settings.namespaces not in (None, namespaces):
            continue
        yield Attempt(level, namespaces)
