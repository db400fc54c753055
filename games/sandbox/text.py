"""Untrusted text from a jail, made fit to be stored and shown: capped, no control characters."""

from __future__ import annotations

import os
import re

from games.sandbox.jail.report import DISTINCT_TRACEBACKS, OUTPUT_CAP, TRACEBACK_CAP

_PIPE_CAPACITY = 64 * 1024
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def plain_text(data: bytes, limit: int = OUTPUT_CAP) -> str:
    """At most ``limit`` characters; control characters become ``\ufffd``."""
    return _CONTROL.sub("\ufffd", data[:limit].decode("utf-8", "replace").replace("\r\n", "\n"))


def read_pipe(descriptor: int) -> bytes:
    """What lies in the pipe now (its read end does not block)."""
    try:
        return os.read(descriptor, _PIPE_CAPACITY)
    except BlockingIOError:
        return b""


def parse_faults(data: bytes) -> tuple[tuple[int, str], ...]:
    """Records ``episode:traceback`` that end in NUL. A policy can forge them: only text."""
    records = []
    for record in data.split(b"\0")[: DISTINCT_TRACEBACKS + 1]:
        episode, colon, text = record.partition(b":")
        if colon and episode.lstrip(b"-").isdigit() and len(episode) < 10:
            records.append((int(episode), plain_text(text, TRACEBACK_CAP)))
    return tuple(records)
