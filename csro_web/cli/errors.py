"""How a command ends when it cannot do what was asked. Every message is one line."""

from __future__ import annotations

import errno


class CommandFailure(Exception):
    """A failure that the message explains, and says what to do about; exit code 1."""


class WrongUsage(Exception):
    """Arguments that cannot be; exit code 2."""


def one_line(text: object) -> str:
    """The text on a single line: what a terminal or a log shows of it."""
    return " ".join(str(text).split())


def explain_os_error(error: OSError, doing: str) -> CommandFailure:
    """``doing`` is what was tried, for example ``"read policy.py"``."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CommandFailure(f"cannot {doing}: the disk is full; make room and try again")
    if error.errno == errno.EFBIG:
        return CommandFailure(f"cannot {doing}: larger than this process may write (ulimit -f)")
    return CommandFailure(f"cannot {doing}: {error.strerror or error}")
