"""Own namespaces, without a helper program: a root of nothing but the interpreter and NumPy.

The mounts are cloned and moved by descriptor (Linux 5.2 and 5.12), so that flags which a
user namespace may not clear need no attention, and so that root can bind what lies in its own
closed home before it becomes somebody else.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Sequence
from pathlib import Path

from . import linux

_NEW_USER = 0x10000000
_NEW_MOUNT_PID_NET_IPC_UTS = 0x20000 | 0x20000000 | 0x40000000 | 0x8000000 | 0x4000000

_HERE = -100  # AT_FDCWD
_RECURSIVE = 0x8000
_CLONE_TREE = 1 | 0o2000000 | _RECURSIVE
_FROM_DESCRIPTOR = 4
_READ_ONLY_NO_SUID_NO_DEVICES = 1 | 2 | 4


def enter(
    readable: Sequence[str], masked: Sequence[str], *, before_fork: Callable[[], None]
) -> None:
    """Return as pid 1 of new namespaces whose root holds ``readable`` alone, read-only.

    The calling process stays outside, does nothing but wait, and ends as its child ends.
    ``masked`` directories appear empty. Raises OSError.
    """
    if not _unshare_as_root():
        _unshare_as_user()
    _change_root(readable, masked)
    linux.set_host_name(b"jail")
    before_fork()
    child = os.fork()
    if child:
        os.close(0)
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _unshare_as_root() -> bool:
    """Root needs no user namespace, and can bind its own home; False without CAP_SYS_ADMIN."""
    if os.geteuid() != 0:
        return False
    try:
        linux.unshare(_NEW_MOUNT_PID_NET_IPC_UTS)
    except PermissionError:
        return False
    return True


def _unshare_as_user() -> None:
    """As an unprivileged user: a user namespace first, in which the others may be made."""
    linux.drop_user()
    linux.call("prctl", linux.PR_SET_DUMPABLE, 1, 0, 0, 0)  # else root owns the files below
    uid, gid = os.getuid(), os.getgid()
    linux.unshare(_NEW_USER | _NEW_MOUNT_PID_NET_IPC_UTS)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def _change_root(readable: Sequence[str], masked: Sequence[str]) -> None:
    linux.make_mounts_private()
    trees = [(path, _clone(path)) for path in readable]
    new_root = readable[0]
    linux.mount_tmpfs(new_root)
    for path, tree in trees:
        target = new_root + path
        os.makedirs(target, mode=0o755, exist_ok=True)
        linux.call("move_mount", tree, b"", _HERE, target.encode(), _FROM_DESCRIPTOR)
        os.close(tree)
        for hidden in masked:
            if os.path.dirname(hidden) == path:
                linux.mount_tmpfs(new_root + hidden)
    os.chdir(new_root)
    linux.call("pivot_root", b".", b".")
    linux.detach(".")
    os.chdir("/")
    _make_read_only()


def _clone(path: str) -> int:
    return linux.call("open_tree", _HERE, path.encode(), _CLONE_TREE)


def _make_read_only() -> None:
    attributes = struct.pack("<QQQQ", _READ_ONLY_NO_SUID_NO_DEVICES, 0, 0, 0)
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    linux.call("mount_setattr", _HERE, b"/", _RECURSIVE, buffer, len(attributes))


def check_inside() -> None:
    """OSError unless this process already lives in a jail that bubblewrap made."""
    if os.getpid() > 2 or os.path.exists("/proc/self"):
        raise OSError("the zygote was started outside of its jail")
