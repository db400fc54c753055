"""The zygote's way into the jail: namespaces, Landlock's list, another user, no way back."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from . import landlock, linux, namespaces, seccomp


@dataclass(frozen=True)
class Locks:
    """What every child does to itself before it reads a job. Empty at level ``process``."""

    linux: bool
    ruleset: int | None = None
    seccomp: bytes | None = None


@dataclass(frozen=True)
class Plan:
    """What the referee asks for, as JSON on the command line.

    ``parent`` is the pid to die with, or 0 when the thread that starts the zygote may end first.
    """

    level: str
    own_namespaces: bool
    site: str
    parent: int

    @classmethod
    def parse(cls, text: str) -> Plan:
        return cls(**json.loads(text))


def readable_paths() -> list[str]:
    """All that a policy may read: the standard library and NumPy."""
    import numpy

    standard_library = os.path.dirname(os.__file__)
    found = [standard_library]
    found += [p for p in sys.path if p.endswith("lib-dynload") and os.path.dirname(p) not in found]
    package = numpy.__path__[0]
    return found + [p for p in (package, package + ".libs") if os.path.isdir(p)]


def masked_paths(readable: Iterable[str]) -> list[str]:
    """Other people's packages inside the standard library's directory: hidden from the jail."""
    names = ("site-packages", "dist-packages", "test", "ensurepip")
    paths = (os.path.join(base, name) for base in readable for name in names)
    return [path for path in paths if os.path.isdir(path)]


def enter(plan: Plan) -> Locks:
    """Everything that can be locked once for all children. Raises OSError: it fails closed."""
    if plan.level == "process":
        linux.drop_user()
        if sys.platform == "linux":
            _die_with(plan.parent)
        return Locks(linux=sys.platform == "linux")
    readable = readable_paths()
    masked = masked_paths(readable)
    if plan.own_namespaces:
        namespaces.enter(readable, masked, before_fork=lambda: _die_with(plan.parent))
    elif plan.level == "full":
        namespaces.check_inside()
    has_landlock = landlock.abi() > 0
    if plan.level == "full" and not has_landlock:
        raise OSError("this kernel has no Landlock, which level full needs")
    ruleset = landlock.create_ruleset(readable, masked) if has_landlock else None
    os.chdir("/")
    linux.drop_bounding_set()
    linux.drop_user()
    linux.drop_capabilities()
    _die_with(0 if plan.own_namespaces else plan.parent, check=not plan.own_namespaces)
    linux.call("prctl", linux.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return Locks(True, ruleset, seccomp.build_filter(open_files=has_landlock))


def _die_with(parent: int, *, check: bool = True) -> None:
    """Be killed when ``parent`` ends. After the change of user, which would undo it."""
    if check and not parent:
        return
    linux.call("prctl", linux.PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if check and os.getppid() != parent:
        raise OSError("the process that started this zygote is gone")
