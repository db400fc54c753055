"""One core per referee and its policies: a round trip costs a third of one across cores."""

from __future__ import annotations

import os
import socket
import sys

_held: list[socket.socket] = []


def pin_to_free_core() -> int | None:
    """Pin this process, and what it starts, to a core that no other referee of this machine has.

    The claim is a name in Linux's abstract socket namespace: it ends with the process, however that
    ends. Returns the core, or None (nothing pinned) when all are taken or this is not Linux.
    """
    if not sys.platform.startswith("linux"):
        return None
    for core in sorted(os.sched_getaffinity(0)):
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(f"\0csro-referee-core-{core}")
        except OSError:
            claim.close()
            continue
        os.sched_setaffinity(0, {core})
        _held.append(claim)
        return core
    return None
