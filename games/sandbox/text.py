"""Untrusted text from a jail, made fit to be stored and shown: capped, no control characters."""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache

from games.sandbox.jail.report import DISTINCT_TRACEBACKS, OUTPUT_CAP, TRACEBACK_CAP

_PIPE_CAPACITY = 64 * 1024
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")

_FRAME = re.compile(r'[\s|+-]*File "(?P<file>[^"]*)", line \d+')
_BELOW_FRAME = re.compile(r"[\s|]*(\s{4}|\[Previous line repeated)")
_OWN_FILE = "policy.py"
_PATH = re.compile(r"(?<![\w./])(?:/[\w.+-]+)+/([\w.+-]+\.(?:py|pyc|so)\b)")
_ROOTS = sorted({sys.prefix, sys.base_prefix, os.path.dirname(os.__file__)}, key=len, reverse=True)


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
            records.append((int(episode), own_frames(plain_text(text, TRACEBACK_CAP))))
    return tuple(records)


@lru_cache(maxsize=512)
def own_frames(traceback: str) -> str:
    """A traceback with the frames of the policy's program alone, and no path of this machine.

    What stands for the policy in a traceback is called ``policy.py``. Doing it twice changes
    nothing.
    """
    kept = []
    foreign = False
    for line in traceback.split("\n"):
        frame = _FRAME.match(line)
        if frame:
            foreign = frame["file"] != _OWN_FILE
        elif foreign and not _BELOW_FRAME.match(line):
            foreign = False
        if not foreign:
            kept.append(_PATH.sub(r"\1", line))
    text = "\n".join(kept)
    for root in _ROOTS:
        text = text.replace(root, "...")
    return text
