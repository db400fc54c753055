"""Which level this machine reaches, which mechanism is missing, and what would add it."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from dataclasses import asdict, dataclass
from typing import Any

from games.match import SandboxLevel
from games.sandbox import advice, bubblewrap
from games.sandbox.interpreter import Interpreter
from games.sandbox.jail import landlock, linux
from games.sandbox.sandbox import Attempt, open_zygote, ways
from games.sandbox.settings import Namespaces, Settings
from games.sandbox.zygote import ZygoteDied

_SECCOMP_GET_ACTION_AVAIL = 2
_SECCOMP_RET_ERRNO = 0x00050000


@dataclass(frozen=True)
class Mechanism:
    """One lock: whether this machine has it, in words, and what would add it (None: nothing)."""

    name: str
    present: bool
    detail: str
    remedy: str | None = None


@dataclass(frozen=True)
class SandboxReport:
    """What was found by trying. ``level`` is None when policies cannot run here at all."""

    level: SandboxLevel | None
    namespaces: Namespaces
    interpreter: str
    attempts: tuple[Attempt, ...]
    mechanisms: tuple[Mechanism, ...]
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def lines(self) -> list[str]:
        """The report as ``./csro doctor`` prints it."""
        how = "" if self.namespaces is Namespaces.NONE else f" ({self.namespaces} namespaces)"
        out = [f"sandbox level: {self.level or 'none'}{how}", f"interpreter: {self.interpreter}"]
        for mechanism in self.mechanisms:
            mark = "yes" if mechanism.present else "no "
            out.append(f"  {mark}  {mechanism.name}: {mechanism.detail}")
            if mechanism.remedy:
                out.append(f"       to add it: {mechanism.remedy}")
        out += [
            f"  tried {a.level} ({a.namespaces}): {a.failure}" for a in self.attempts if a.failure
        ]
        return out + [f"warning: {warning}" for warning in self.warnings]


def diagnose(
    settings: Settings | None = None, interpreter: Interpreter | None = None
) -> SandboxReport:
    """Try every way that the settings leave open, with the real interpreter and the escape test."""
    settings = settings or Settings.from_environment()
    interpreter = interpreter or Interpreter.default()
    attempts = tuple(_try(interpreter, way) for way in ways(settings))
    reached = [attempt for attempt in attempts if attempt.failure is None]
    best = reached[0] if reached else None
    return SandboxReport(
        level=best.level if best else None,
        namespaces=best.namespaces if best else Namespaces.NONE,
        interpreter=interpreter.program,
        attempts=attempts,
        mechanisms=(*_namespaces(attempts, interpreter), _landlock(), _seccomp(), _user()),
        warnings=tuple(_warnings(best, settings)),
    )


def _try(interpreter: Interpreter, way: Attempt) -> Attempt:
    try:
        open_zygote(interpreter, way).close()
    except ZygoteDied as error:
        return Attempt(way.level, way.namespaces, str(error))
    return way


def _namespaces(attempts: tuple[Attempt, ...], interpreter: Interpreter) -> list[Mechanism]:
    failures = {attempt.namespaces: attempt.failure for attempt in attempts}
    own, wrapped = Namespaces.OWN, Namespaces.BUBBLEWRAP
    found = []
    if own in failures:
        remedy = advice.for_namespaces(interpreter.program) if failures[own] else None
        detail = failures[own] or "user or root, mount, pid, net, ipc and uts"
        found.append(Mechanism("own namespaces", failures[own] is None, detail, remedy))
    if wrapped in failures:
        needed = failures.get(own) is not None and bubblewrap.program() is None
        remedy = advice.for_bubblewrap() if needed else None
        detail = failures[wrapped] or "works; used only where own namespaces fail"
        found.append(Mechanism("bubblewrap", failures[wrapped] is None, detail, remedy))
    return found


def _landlock() -> Mechanism:
    version = landlock.abi() if sys.platform == "linux" else 0
    if version:
        return Mechanism("Landlock", True, f"version {version}")
    return Mechanism("Landlock", False, "the kernel has none", advice.for_landlock())


def _seccomp() -> Mechanism:
    try:
        action = ctypes.create_string_buffer(_SECCOMP_RET_ERRNO.to_bytes(4, "little"), 4)
        linux.call("seccomp", _SECCOMP_GET_ACTION_AVAIL, 0, action)
    except OSError as error:
        return Mechanism("seccomp filters", False, str(error), advice.for_seccomp())
    return Mechanism("seccomp filters", True, f"allow-list for {platform.machine()}")


def _user() -> Mechanism:
    if os.geteuid() == 0:
        return Mechanism("unprivileged user", True, "started as root, policies run as nobody")
    return Mechanism("unprivileged user", True, f"uid {os.geteuid()}")


def _warnings(best: Attempt | None, settings: Settings) -> list[str]:
    warnings = []
    if best is None:
        warnings.append("no policy can run here; use Linux, or a Linux VM or container")
    elif best.level is SandboxLevel.PROCESS:
        allowed = "is set" if settings.allow_unsafe else "is not set, so policies are refused"
        warnings.append(
            "a policy can read, write and send what this user can: this level is no jail "
            f"(CSRO_ALLOW_UNSAFE_POLICIES {allowed})"
        )
    elif best.level is SandboxLevel.KERNEL:
        warnings.append("policies can see that files exist, though not open them; full hides them")
    if best is not None and best.level is not SandboxLevel.PROCESS:
        warnings.append(
            "every level shares this machine's kernel: to run strangers' policies, "
            "put the whole worker into a VM or gVisor"
        )
    return warnings
