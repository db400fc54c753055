"""Which processes descend from this one, read from /proc."""

from __future__ import annotations

import os
import time
from pathlib import Path


def parents() -> dict[int, int]:
    """Parent of every process that is not a zombie."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if state not in "ZX":
                found[int(entry.name)] = int(parent)
    return found


def descendants(root: int | None = None) -> set[int]:
    """All living processes below ``root`` (this process by default)."""
    table, found, frontier = parents(), set[int](), {root or os.getpid()}
    while frontier:
        frontier = {pid for pid, parent in table.items() if parent in frontier}
        found |= frontier
    return found


def wait_until_gone(pids: set[int], seconds: float = 20.0) -> set[int]:
    """Those of ``pids`` that still live when none does any more or the time is up."""
    deadline = time.monotonic() + seconds
    while (left := pids & parents().keys()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left
