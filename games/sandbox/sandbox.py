"""The sandbox: the strongest jail that works here, and policy processes in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType

from games.engine import SandboxUnavailable
from games.match import SandboxLevel
from games.sandbox import advice, escape
from games.sandbox.interpreter import Interpreter
from games.sandbox.process import PolicyProcess
from games.sandbox.settings import Namespaces, Settings
from games.sandbox.values import Job
from games.sandbox.zygote import Zygote, ZygoteDied

_UNSAFE = "refused, because it is no jail, unless CSRO_ALLOW_UNSAFE_POLICIES=1 is set"
_STRENGTH = {SandboxLevel.PROCESS: 0, SandboxLevel.KERNEL: 1, SandboxLevel.FULL: 2}


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
        self._interpreter = interpreter or Interpreter.default()
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
        failures: list[Attempt] = []
        for way in ways(self._settings):
            if _STRENGTH[way.level] < _STRENGTH[required]:
                continue
            if way.level is SandboxLevel.PROCESS and not self._settings.allow_unsafe:
                failures.append(Attempt(way.level, way.namespaces, _UNSAFE))
                continue
            try:
                return self._open(way), way
            except ZygoteDied as error:
                failures.append(Attempt(way.level, way.namespaces, str(error)))
        raise SandboxUnavailable(_refusal(required, failures, self._interpreter))

    def _open(self, way: Attempt) -> Zygote:
        return open_zygote(self._interpreter, way)


def open_zygote(interpreter: Interpreter, way: Attempt) -> Zygote:
    """A zygote in its jail that has passed the escape test. Raises ZygoteDied."""
    zygote = Zygote(interpreter, way.level, way.namespaces)
    if way.level is not SandboxLevel.PROCESS:
        try:
            escape.check(zygote, way.level)
        except ZygoteDied:
            zygote.close()
            raise
    return zygote


def _refusal(required: SandboxLevel, failures: list[Attempt], interpreter: Interpreter) -> str:
    """One line that names what is missing and what would add it."""
    tried = "; ".join(f"{f.level} ({f.namespaces}): {f.failure}" for f in failures)
    if not tried:
        return (
            f"sandbox level {required} is required, and CSRO_SANDBOX or CSRO_SANDBOX_NAMESPACES "
            "leaves no way to it: unset them"
        )
    remedy = advice.for_namespaces(interpreter.program)
    if all(failure.level is not SandboxLevel.FULL for failure in failures):
        remedy = f"{advice.for_seccomp()}; {advice.for_landlock()}"
    return (
        f"sandbox level {required} is required and this machine does not reach it. "
        f"Tried {tried}. To add what is missing: {remedy}. (./csro doctor shows each mechanism.)"
    )


def ways(settings: Settings) -> Iterator[Attempt]:
    """All ways to a level that the settings leave open, strongest first."""
    for level, namespaces in (
        (SandboxLevel.FULL, Namespaces.OWN),
        (SandboxLevel.FULL, Namespaces.BUBBLEWRAP),
        (SandboxLevel.KERNEL, Namespaces.NONE),
        (SandboxLevel.PROCESS, Namespaces.NONE),
    ):
        if settings.level not in (None, level):
            continue
        if level is SandboxLevel.FULL and settings.namespaces not in (None, namespaces):
            continue
        yield Attempt(level, namespaces)
