"""Names of workers: where a process runs, its number there, and whether it still lives."""

from __future__ import annotations

import os
import socket
import uuid


def this_place() -> str:
    """Where a process number means something: this host's name and this process namespace."""
    try:
        namespace = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:  # not Linux: one namespace
        namespace = "0"
    return f"{socket.gethostname()[:36]}/{namespace}"


def this_process() -> str:
    return f"{this_place()}:{os.getpid()}"


def new_owner() -> str:
    """A name for one claim of this process; never given twice."""
    return f"{this_process()}:{uuid.uuid4().hex[:12]}"


def is_from_here(owner: str) -> bool:
    """Whether its process number means something in this place."""
    return owner.startswith(this_place() + ":")


def has_died(owner: str) -> bool:
    """Whether it was a process of this very place that is no more.

    False says little: of workers elsewhere, and of one whose number is in use again, nobody here
    can tell. They are noticed when their lease ends.
    """
    return is_from_here(owner) and not _is_alive(int(owner.split(":")[1]))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
