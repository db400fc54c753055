"""Who pays for the time of a slow message: the policy's own CPU, the machine's load, or a sleep."""

from __future__ import annotations

import time

from games.sandbox import clock
from games.sandbox.values import Limits


class Watch:
    """Charges one message with what the process uses from now on.

    It is made only when a message was not answered at once, so that quick messages cost no look
    at any clock; what was used before is not charged. Where the process's CPU clock cannot be read,
    wall time is charged instead.
    """

    def __init__(self, pid: int, limits: Limits, budget: float) -> None:
        self._pid = pid
        self._limits = limits
        self._budget = budget
        self._wall_limit = budget * limits.wall_factor + 10.0
        self._started = time.monotonic()
        self._cpu_before = clock.cpu_seconds(pid)
        self._waited_before = clock.waited_seconds(pid)

    def seconds_left(self) -> float:
        """The earliest moment from now at which a limit could be reached."""
        elapsed, cpu, idle = self._usage()
        return max(
            0.001,
            min(
                self._budget - cpu,
                self._limits.idle_seconds - idle,
                self._wall_limit - elapsed,
            ),
        )

    def exceeded(self) -> str | None:
        """Which limit was reached, in words; None while there is time left."""
        elapsed, cpu, idle = self._usage()
        if cpu >= self._budget:
            return f"it computed for {cpu:.2f} s where {self._budget:g} s are allowed"
        if idle >= self._limits.idle_seconds:
            return f"it neither computed nor answered for {idle:.1f} s"
        if elapsed >= self._wall_limit:
            return f"no answer within {elapsed:.0f} s"
        return None

    def _usage(self) -> tuple[float, float, float]:
        """Wall, CPU and idle seconds so far: idle is neither computing nor waiting for a core."""
        elapsed = time.monotonic() - self._started
        cpu = clock.cpu_seconds(self._pid)
        if cpu is None or self._cpu_before is None:
            return elapsed, elapsed, 0.0
        used = cpu - self._cpu_before
        waited = clock.waited_seconds(self._pid) - self._waited_before
        return elapsed, used, elapsed - used - waited
