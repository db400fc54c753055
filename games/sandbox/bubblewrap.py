"""The same jail made by bubblewrap, for machines that let only that program make namespaces."""

from __future__ import annotations

import os
import shutil

from games.sandbox.interpreter import ENVIRONMENT, HARNESS_DIRECTORY, Description

HARNESS_INSIDE = "/harness"
_LOADER_CACHE = "/etc/ld.so.cache"


def program() -> str | None:
    """Path of ``bwrap``, or None."""
    return shutil.which("bwrap")


def command(
    bwrap: str, interpreter_program: str, description: Description, *, die_with_parent: bool
) -> list[str]:
    """The arguments before the interpreter's own: namespaces, and a root of read-only binds.

    Run by root no user namespace is made, because uid 0 in one that root made stays real root:
    the zygote keeps the right to change its uid and becomes nobody before it serves.
    """
    words = [bwrap, "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--hostname", "jail", "--new-session", "--clearenv"]
    if os.geteuid() == 0:
        words += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        words += ["--cap-add", "CAP_SETPCAP"]
    else:
        words.append("--unshare-user")
    if die_with_parent:
        words.append("--die-with-parent")
    for name, value in ENVIRONMENT.items():
        words += ["--setenv", name, value]
    for path in (*description.readable, *description.libraries, interpreter_program):
        words += ["--ro-bind", path, path]
        for hidden in description.masked:
            if os.path.dirname(hidden) == path:
                words += ["--tmpfs", hidden]
    if os.path.exists(_LOADER_CACHE):
        words += ["--ro-bind", _LOADER_CACHE, _LOADER_CACHE]
    words += ["--ro-bind", f"{HARNESS_DIRECTORY}/jail", f"{HARNESS_INSIDE}/jail"]
    for hidden in description.masked:
        words += ["--remount-ro", hidden]
    return [*words, "--remount-ro", "/", "--chdir", "/", "--"]
