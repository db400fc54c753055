"""What a policy prints and the tracebacks of its faults, on their way out: capped, never blocking.

Both leave through pipes that nobody drains while the match runs. Their write ends do not block, so
a flood is cut at the pipe's capacity and costs the policy nothing but its own time.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from typing import Any

OUTPUT_CAP = 32 * 1024
TRACEBACK_CAP = 4 * 1024
DISTINCT_TRACEBACKS = 8

_POLICY_FILE = "policy.py"


class _CappedPipe(io.RawIOBase):
    """Writes to a descriptor until the cap is reached, then swallows."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._room = OUTPUT_CAP

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        raw = bytes(data)
        if self._room > 0:
            self._room -= write_or_drop(self._descriptor, raw[: self._room])
        return len(raw)


def write_or_drop(descriptor: int, data: bytes) -> int:
    """Write what fits; what does not is dropped. Returns the number of bytes accounted for."""
    try:
        os.write(descriptor, data)
    except BlockingIOError:
        return OUTPUT_CAP
    return len(data)


def capture_output() -> None:
    """Send ``print`` of every kind into one capped pipe (descriptor 1)."""
    pipe = _CappedPipe(1)
    text = io.TextIOWrapper(
        pipe,  # type: ignore[type-var]
        encoding="utf-8",
        errors="replace",
        write_through=True,
    )
    sys.stdout = sys.stderr = text


class FaultLog:
    """Writes the first few distinct tracebacks as ``episode:text`` records that end in NUL."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._seen: set[tuple[str, int]] = set()

    def record(self, episode: int) -> None:
        """Keep the exception that is being handled, unless one like it was kept before."""
        kind, error, trace = sys.exc_info()
        if error is None or len(self._seen) >= DISTINCT_TRACEBACKS:
            return
        place, last = (str(kind), 0), trace
        while last is not None:
            place, last = (str(kind), last.tb_lineno), last.tb_next
        if place in self._seen:
            return
        self._seen.add(place)
        text = _describe(error).encode("utf-8", "replace").replace(b"\0", b"\\0")
        write_or_drop(self._descriptor, b"%d:%s\0" % (episode, text[:TRACEBACK_CAP]))


def _describe(error: BaseException) -> str:
    """The traceback from the policy's first own line on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != _POLICY_FILE:
        trace = trace.tb_next
    try:
        return "".join(traceback.format_exception(type(error), error, trace, limit=-12))
    except Exception as second:  # noqa: BLE001 - an exception whose own __str__ fails
        return f"{type(error).__name__} (its text cannot be had: {type(second).__name__})\n"
