"""``python become_nobody.py PROGRAM ARGUMENTS...``: run by root, runs the program as nobody.

Where the interpreter or this repository lies below a directory that is closed to others (root's
home), the program sees that directory, in a mount namespace of its own, with an open mode and with
nothing else in it. The machine itself is not changed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NOBODY = 65534
AT_FDCWD, CLONE_TREE, FROM_DESCRIPTOR, NEW_MOUNTS = -100, 1 | 0o2000000 | 0x8000, 4, 0x20000


def closed_ancestor(path: Path) -> Path | None:
    """The topmost directory above ``path`` that others may not pass."""
    above = [parent for parent in reversed(path.parents) if not parent.stat().st_mode & 0o001]
    return above[0] if above else None


def open_the_way(needed: list[Path]) -> None:
    from games.sandbox.jail import linux

    behind = {path: closed_ancestor(path) for path in needed}
    closed = {path: door for path, door in behind.items() if door is not None}
    if not closed:
        return
    linux.unshare(NEW_MOUNTS)
    linux.make_mounts_private()
    trees = {
        path: linux.call("open_tree", AT_FDCWD, str(path).encode(), CLONE_TREE) for path in closed
    }
    for door in set(closed.values()):
        linux.mount_tmpfs(str(door))
    for path, tree in trees.items():
        path.mkdir(parents=True, exist_ok=True)
        linux.call("move_mount", tree, b"", AT_FDCWD, str(path).encode(), FROM_DESCRIPTOR)
        os.close(tree)


def main() -> None:
    sys.path.insert(0, str(ROOT))
    open_the_way([Path(sys.base_prefix), Path(sys.prefix), ROOT])
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.chdir(ROOT)
    environment = {"PATH": os.defpath, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    os.execve(sys.argv[1], sys.argv[1:], environment)


if __name__ == "__main__":
    main()
