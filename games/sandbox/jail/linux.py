"""System calls that Python does not wrap, by number (x86_64 and aarch64)."""

from __future__ import annotations

import ctypes
import errno
import os
import platform

_libc = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38

_CAPABILITY_VERSION_3 = 0x20080522
_LAST_KNOWN_CAPABILITY = 63
_NOBODY = 65534

_SPECIFIC = {
    "x86_64": {"prctl": 157, "seccomp": 317, "capset": 126, "pivot_root": 155},
    "aarch64": {"prctl": 167, "seccomp": 277, "capset": 91, "pivot_root": 41},
}
_COMMON = {
    "open_tree": 428,
    "move_mount": 429,
    "mount_setattr": 442,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
}


def machine() -> str:
    """``x86_64`` or ``aarch64``; OSError on anything else, where no number is known."""
    name = platform.machine()
    if name not in _SPECIFIC:
        raise OSError(f"system call numbers of {name} are not known; x86_64 and aarch64 are")
    return name


def call(name: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """The system call ``name``; raises OSError that names it."""
    number = _COMMON.get(name) or _SPECIFIC[machine()][name]
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = int(_libc.syscall(ctypes.c_long(number), *words))
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def mount_tmpfs(target: str) -> None:
    """A small empty tmpfs: directories only, no room for data."""
    options = b"size=64k,nr_inodes=512,mode=755"
    if _libc.mount(b"tmpfs", target.encode(), b"tmpfs", ctypes.c_ulong(0x6), options) == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"mount tmpfs: {os.strerror(code)}")


def make_mounts_private() -> None:
    """No mount made here reaches the world outside (MS_REC | MS_PRIVATE)."""
    if _libc.mount(None, b"/", None, ctypes.c_ulong(0x4000 | 0x40000), None) == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"make mounts private: {os.strerror(code)}")


def detach(target: str) -> None:
    """Lazy unmount (MNT_DETACH)."""
    if _libc.umount2(target.encode(), 2) == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"umount {target}: {os.strerror(code)}")


def unshare(flags: int) -> None:
    if _libc.unshare(flags) == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"unshare: {os.strerror(code)}")


def set_host_name(name: bytes) -> None:
    if _libc.sethostname(name, ctypes.c_size_t(len(name))) == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"sethostname: {os.strerror(code)}")


def drop_user() -> None:
    """Root becomes nobody: rlimits bind only then, and nothing of root's can be opened."""
    if os.geteuid() != 0:
        return
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)


def drop_bounding_set() -> None:
    """No program that is started later can bring a capability back."""
    for capability in range(_LAST_KNOWN_CAPABILITY + 1):
        try:
            call("prctl", PR_CAPBSET_DROP, capability, 0, 0, 0)
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.EPERM):  # beyond the last one; nothing to drop
                return
            raise


def drop_capabilities() -> None:
    """No capability left: permitted, effective and inheritable sets are empty."""
    header = _CAPABILITY_VERSION_3.to_bytes(4, "little") + bytes(4)
    call("capset", ctypes.create_string_buffer(header, 8), ctypes.create_string_buffer(24))
