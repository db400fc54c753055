"""Where a command's words go: results to stdout, progress to stderr, JSON to a file or stdout."""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from csro_web.cli.errors import CommandFailure, explain_os_error

STDOUT = "-"
BAR_WIDTH = 30
PLAIN_SECONDS = 5.0
"""Without a terminal, progress is a line at most this often."""


def say(text: str) -> None:
    """A line about what is being done, for the person who waits."""
    print(f"csro: {text}", file=sys.stderr, flush=True)


class Progress:
    """A bar on a terminal, a plain line now and then elsewhere; silent when asked to be."""

    def __init__(self, label: str, total: int) -> None:
        self.label, self.total, self.done = label, total, 0
        self.terminal = sys.stderr.isatty()
        self.shown_at = time.monotonic()
        self.width = 0

    def __enter__(self) -> Progress:
        self._show()
        return self

    def __exit__(self, *_error: object) -> None:
        if self.terminal:
            print("\r" + " " * self.width + "\r", end="", file=sys.stderr, flush=True)

    def advance(self) -> None:
        self.done += 1
        now = time.monotonic()
        if self.terminal or now - self.shown_at >= PLAIN_SECONDS or self.done == self.total:
            self.shown_at = now
            self._show()

    def _show(self) -> None:
        text = f"{self.label}: {self.done} of {self.total}"
        if self.terminal:
            filled = BAR_WIDTH * self.done // max(self.total, 1)
            text = f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {text}"
            self.width = max(self.width, len(text))
            print("\r" + text, end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)


def table(rows: Iterable[Sequence[object]], heading: Sequence[str], *, left: int = 1) -> str:
    """Columns as wide as they need to be; the first ``left`` start left, the rest end right."""
    texts = [list(heading), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in texts) for column in range(len(heading))]
    lines = []
    for row in texts:
        cells = zip(row, widths, range(len(row)), strict=True)
        padded = [cell.ljust(wide) if at < left else cell.rjust(wide) for cell, wide, at in cells]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def number(value: float | None) -> str:
    """Two decimals and a sign; what is not known is said to be unknown, never zero."""
    return "unknown" if value is None else f"{value:+.2f}"


def interval(low: float | None, high: float | None) -> str:
    """A 95 % interval as ``[low, high]``."""
    return "unknown" if low is None or high is None else f"[{low:+.2f}, {high:+.2f}]"


def check_target(target: str | None) -> None:
    """Fails now, before any work, when the answer could not be written there later."""
    if target is None or target == STDOUT:
        return
    path = Path(target)
    if path.is_dir():
        raise CommandFailure(f"cannot write {target}: it is a directory; name a file in it")
    if not path.parent.is_dir():
        raise CommandFailure(f"cannot write {target}: there is no directory {path.parent}")
    where = path if path.exists() and not path.is_file() else path.parent
    if not os.access(where, os.W_OK):
        raise CommandFailure(f"cannot write {target}: no permission to write in {path.parent}")


def write_json(target: str, answer: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
    """Writes the whole answer or nothing: to a temporary file beside the target, then renamed.

    A target that is no regular file (a pipe, a device) is written directly.
    """
    text = json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if target == STDOUT:
        sys.stdout.write(text)
        return
    write_text(Path(target), text)


def write_text(path: Path, text: str) -> None:
    """As :func:`write_json`, for any text."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """As :func:`write_json`, for any bytes."""
    write_parts(path, [data])


def write_parts(path: Path, parts: Iterable[bytes]) -> None:
    """As :func:`write_bytes`, for what need not fit into memory."""
    try:
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            with path.open("wb") as file:
                file.writelines(parts)
        else:
            _replace(path, parts)
    except OSError as error:
        raise explain_os_error(error, f"write {path}") from error


def _replace(path: Path, parts: Iterable[bytes]) -> None:
    target = path.resolve()
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current
