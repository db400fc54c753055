"""What another process has done with its time, read from the kernel and never from the process."""

from __future__ import annotations

import re
import time
from pathlib import Path


def outer_pid(pidfd: int) -> int:
    """The pid, in this process's own namespace, of the process behind ``pidfd``."""
    match = re.search(r"^Pid:\s*(-?\d+)$", Path(f"/proc/self/fdinfo/{pidfd}").read_text(), re.M)
    if match is None:
        raise OSError(f"/proc/self/fdinfo/{pidfd} names no pid")
    return int(match[1])


def cpu_seconds(pid: int) -> float | None:
    """CPU that the process has used so far; None where that cannot be known (or it is gone)."""
    process_clock = (~pid << 3) | 2  # what clock_getcpuclockid(3) computes on Linux
    try:
        return time.clock_gettime(process_clock)
    except OSError:
        return None


def waited_seconds(pid: int) -> float:
    """Time the process was ready to run and got no core; 0 where the kernel does not say."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0
