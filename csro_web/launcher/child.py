"""``python -m csro_web.launcher.child PARENT COMMAND...``: becomes COMMAND, and dies with PARENT.

The kernel (Linux) kills this process when its parent ends, however that ends; the setting outlives
the exec. It is asked for here and not between fork and exec, where Python code is not safe.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, command: list[str]) -> None:
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "cannot tie this process to its launcher")
    if os.getppid() != parent:
        sys.exit("the launcher is gone")  # it ended before the kernel was told
    os.execv(command[0], command)  # noqa: S606


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
