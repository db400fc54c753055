"""Landlock: no file outside a short list can be opened, no port used, no outsider signalled."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Collection, Iterable

from .linux import call

_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_NET_BIND_AND_CONNECT = 0b11
_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11


def abi() -> int:
    """Version of the kernel's Landlock, 0 where there is none."""
    try:
        return call("landlock_create_ruleset", None, 0, _CREATE_RULESET_VERSION)
    except OSError as error:
        if error.errno in (errno.ENOSYS, errno.EOPNOTSUPP):
            return 0
        raise


def create_ruleset(readable: Iterable[str], masked: Collection[str]) -> int:
    """Descriptor of a ruleset that denies all it knows, except reading beneath ``readable``.

    Rules can only allow, so a directory that holds a ``masked`` one is allowed entry by entry; the
    masked one can then be listed, and nothing in it be read.
    """
    version = abi()
    filesystem = (1 << 13) - 1
    for since, bit in ((2, 13), (3, 14), (5, 15)):
        if version >= since:
            filesystem |= 1 << bit
    attributes = struct.pack("<Q", filesystem)
    if version >= 4:
        attributes += struct.pack("<Q", _NET_BIND_AND_CONNECT)
    if version >= 6:
        attributes += struct.pack("<Q", _SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS)
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    ruleset = call("landlock_create_ruleset", buffer, len(attributes), 0)
    for path in readable:
        if path not in {os.path.dirname(hidden) for hidden in masked}:
            _allow(ruleset, path, _READ_FILE | _READ_DIR)
            continue
        _allow(ruleset, path, _READ_DIR)
        for entry in os.scandir(path):
            if entry.path not in masked and not entry.is_symlink():  # it may lead elsewhere
                _allow(ruleset, entry.path, _READ_FILE | _READ_DIR)
    return ruleset


def _allow(ruleset: int, path: str, access: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not os.path.isdir(path):
            access &= ~_READ_DIR
        rule = struct.pack("<Qi", access, descriptor)
        buffer = ctypes.create_string_buffer(rule, len(rule))
        call("landlock_add_rule", ruleset, _RULE_PATH_BENEATH, buffer, 0)
    finally:
        os.close(descriptor)


def restrict_self(ruleset: int) -> None:
    """Lock this process for good; needs no_new_privs. Raises OSError."""
    call("landlock_restrict_self", ruleset, 0)
