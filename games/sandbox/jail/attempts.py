"""A view that is no game: it attempts to get out of the jail and answers 1 for every success.

It runs where a policy runs, after the same locks. The names complete "a policy can ...".
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import platform
import resource
import socket
import threading
from array import array
from collections.abc import Callable
from typing import Any

_FORBIDDEN_CALLS = {
    "x86_64": {
        "execve": 59, "ptrace": 101, "kill": 62, "clone": 56, "fork": 57, "socket": 41,
        "mount": 165, "process_vm_readv": 310, "unshare": 272, "setns": 308, "bpf": 321,
        "keyctl": 250, "io_uring_setup": 425, "memfd_create": 319, "userfaultfd": 323,
        "perf_event_open": 298, "sendmsg": 46, "shmget": 29, "open_by_handle_at": 304,
        "prctl": 157, "pidfd_getfd": 438,
    },
    "aarch64": {
        "execve": 221, "ptrace": 117, "kill": 129, "clone": 220, "socket": 198, "mount": 40,
        "process_vm_readv": 270, "unshare": 97, "setns": 268, "bpf": 280, "keyctl": 219,
        "io_uring_setup": 425, "memfd_create": 279, "userfaultfd": 282, "perf_event_open": 241,
        "sendmsg": 211, "shmget": 194, "open_by_handle_at": 265, "prctl": 167, "pidfd_getfd": 438,
    },
}  # fmt: skip


def _read_a_file(canary: str) -> bool:
    with open(canary) as file:
        return bool(file.read())


_USUALLY_WRITABLE = ("/tmp", "/dev/shm", "/")  # noqa: S108 - to be tried, not used


def _write_a_file(canary: str) -> bool:
    for directory in (os.path.dirname(canary), os.path.dirname(os.__file__), *_USUALLY_WRITABLE):
        try:
            descriptor = os.open(directory + "/csro-escape", os.O_WRONLY | os.O_CREAT, 0o600)
        except OSError:
            continue
        os.close(descriptor)
        return True
    return False


def _read_the_environment(_canary: str) -> bool:
    return bool(os.environ)


def _read_proc(_canary: str) -> bool:
    with open("/proc/self/environ", "rb") as file:
        return bool(file.read(1)) or True


def _open_a_socket(_canary: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            try:
                socket.socket(family, kind).close()
            except OSError:
                continue
            return True
    return False


def _start_a_process(_canary: str) -> bool:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return True


def _start_a_thread(_canary: str) -> bool:
    threading.Thread(target=int, daemon=True).start()
    return True


def _signal_its_parent(_canary: str) -> bool:
    os.kill(os.getppid(), 0)
    return True


def _bring_machine_code(_canary: str) -> bool:
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC).close()
    return True


def _take_all_memory(_canary: str) -> bool:
    return bool(bytearray(resource.getrlimit(resource.RLIMIT_AS)[0]))


def _raise_its_limits(_canary: str) -> bool:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return True


def _call_the_kernel(_canary: str) -> bool:
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    for number in _FORBIDDEN_CALLS[platform.machine()].values():
        if syscall(ctypes.c_long(number), *(ctypes.c_long(-1),) * 6) != -1:
            return True
        if ctypes.get_errno() != errno.EPERM:
            return True
    return False


def _see_a_file(canary: str) -> bool:
    return any(os.path.lexists(path) for path in (canary, "/etc/passwd", "/proc/self", "/home"))


def _see_other_processes(_canary: str) -> bool:
    return os.getppid() > 2


ATTEMPTS: dict[str, Callable[[str], bool]] = {
    "read a file": _read_a_file,
    "write a file": _write_a_file,
    "read the environment": _read_the_environment,
    "read /proc": _read_proc,
    "open a socket": _open_a_socket,
    "start a process": _start_a_process,
    "start a thread": _start_a_thread,
    "signal its parent": _signal_its_parent,
    "bring machine code": _bring_machine_code,
    "take all memory": _take_all_memory,
    "raise its limits": _raise_its_limits,
    "call the kernel": _call_the_kernel,
}
FULL_ONLY: dict[str, Callable[[str], bool]] = {
    "see a file": _see_a_file,
    "see other processes": _see_other_processes,
}


def succeeds(attempt: Callable[[str], bool], canary: str) -> bool:
    try:
        return attempt(canary)
    except (OSError, MemoryError, RuntimeError, ValueError):
        return False


class View:
    """Asks the policy once, then makes the attempts that the referee named."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self._canary: str = setup["canary"]
        self._attempts = [{**ATTEMPTS, **FULL_ONLY}[name] for name in setup["attempts"]]

    def start(self, construct: Callable[..., Callable[..., int] | None]) -> None:
        self._act = construct(0, 0, 1, {}, 0)

    def run(self, _message: memoryview, reply: array[int]) -> int:
        reply[0] = self._act({}) if self._act else 0
        for index, attempt in enumerate(self._attempts):
            reply[index + 1] = int(succeeds(attempt, self._canary))
        return len(reply)


make_view = View
