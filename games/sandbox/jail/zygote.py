"""The zygote: loads the interpreter and NumPy once, enters the jail, and forks a child per policy.

Talks over descriptor 0 in fixed-size records, one request and one answer at a time. Ends when
the other side hangs up. It never sees a policy's source: that goes to the child alone.
"""

from __future__ import annotations

import fcntl
import gc
import os
import resource
import signal
import socket
import struct
import sys

from . import guard, harness, landlock, linux, seccomp
from .enter import Locks, Plan, enter

REQUEST = struct.Struct("<Bqqqq")
"""Operation, then for SPAWN: address space, CPU seconds, open files, 0; for WAIT: pid, 0, 0, 0."""
ANSWER = struct.Struct("<qqq")
"""For SPAWN: pid or -errno, 0, 0 (and a pidfd); for WAIT: pid, wait status, CPU microseconds."""
SPAWN, WAIT = 1, 2

CONTROL = 0
LOCK_FAILED_STATUS = 71

_CONNECTION, _FAULTS, _RULESET = 3, 4, 5


def serve(locks: Locks) -> None:
    """Answer requests until the referee hangs up."""
    control = socket.socket(fileno=CONTROL)
    gc.collect()
    gc.freeze()
    control.sendall(b"ready")
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, REQUEST.size, 3)
        if len(data) < REQUEST.size:
            return
        operation, *values = REQUEST.unpack(data)
        if operation == SPAWN:
            _spawn(control, values, descriptors, locks)
        else:
            _, status, usage = os.wait4(values[0], 0)
            cpu = int((usage.ru_utime + usage.ru_stime) * 1e6)
            control.sendall(ANSWER.pack(values[0], status, cpu))


def _spawn(control: socket.socket, values: list[int], descriptors: list[int], locks: Locks) -> None:
    parent = os.getpid()
    try:
        pid = os.fork()
    except OSError as error:
        for descriptor in descriptors:
            os.close(descriptor)
        control.sendall(ANSWER.pack(-(error.errno or 1), 0, 0))
        return
    if pid == 0:
        try:
            _become_policy(parent, values, descriptors, locks)
        finally:
            os._exit(LOCK_FAILED_STATUS)
    for descriptor in descriptors:
        os.close(descriptor)
    answer = ANSWER.pack(pid, 0, 0)
    if not hasattr(os, "pidfd_open"):
        control.sendall(answer)
        return
    handle = os.pidfd_open(pid)
    socket.send_fds(control, [answer], [handle])
    os.close(handle)


def _become_policy(parent: int, values: list[int], descriptors: list[int], locks: Locks) -> None:
    """In the child: arrange descriptors, lock, and only then read the job."""
    try:
        connection, faults = _arrange(descriptors, locks.ruleset)
        _limit(values)
        if locks.linux:
            _lock(parent, locks)
        else:
            os.closerange(_RULESET, 1024)
    except BaseException as error:  # noqa: BLE001 - it fails closed, whatever the reason
        os.write(2, f"the policy's process could not be locked: {error!r}\n".encode())
        os._exit(LOCK_FAILED_STATUS)
    harness.main(connection, faults)


def _arrange(descriptors: list[int], ruleset: int | None) -> tuple[socket.socket, int]:
    """Connection, fault pipe and ruleset at fixed places; 0 closed, 1 and 2 the output pipe."""
    connection, output, faults = (_out_of_the_way(d) for d in descriptors)
    if ruleset is not None:
        os.dup2(_out_of_the_way(ruleset), _RULESET, inheritable=False)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.dup2(connection, _CONNECTION)
    os.dup2(faults, _FAULTS)
    os.close(CONTROL)
    return socket.socket(fileno=_CONNECTION), _FAULTS


def _out_of_the_way(descriptor: int) -> int:
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 16)


def _limit(values: list[int]) -> None:
    address_space, cpu_seconds, open_files, _ = values
    limits = [
        (resource.RLIMIT_AS, address_space),
        (resource.RLIMIT_NOFILE, open_files),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 1),
        (resource.RLIMIT_CORE, 0),
    ]
    for which, value in limits:
        resource.setrlimit(which, (value, value))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))


def _lock(parent: int, locks: Locks) -> None:
    linux.call("prctl", linux.PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        raise OSError("the zygote died meanwhile")
    linux.call("prctl", linux.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if locks.ruleset is not None:
        landlock.restrict_self(_RULESET)
    os.closerange(_RULESET, 1024)
    if locks.seccomp is not None:
        seccomp.install(locks.seccomp)


def main() -> None:
    """Load everything, enter the jail that the command line describes, then serve."""
    plan = Plan.parse(sys.argv[1])
    sys.path.insert(0, plan.site)
    guard.preload()
    sys.path.remove(plan.site)
    guard.forget_product()
    os.environ.clear()
    sys.argv[:] = [""]
    serve(enter(plan))
