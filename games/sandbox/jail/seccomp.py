"""The allow-list of system calls, as a classic BPF program written by hand.

Whatever is not listed answers EPERM, so that the attempt becomes an exception with a traceback.
A foreign architecture (or the x32 table) kills the process.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from .linux import call, machine

_SECCOMP_SET_MODE_FILTER = 1
_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_DENY = 0x00050000 | errno.EPERM

_LOAD, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_TABLE = 0x40000000

_PROT_EXEC = 4
_WRITING_FLAGS = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000000
"""O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, __O_TMPFILE: the same on both machines."""

_TALK = {
    "x86_64": {"recvfrom": 45, "sendto": 44, "read": 0, "write": 1, "readv": 19, "writev": 20},
    "aarch64": {"recvfrom": 207, "sendto": 206, "read": 63, "write": 64, "readv": 65, "writev": 66},
}
_MEMORY_AND_SELF = {
    "x86_64": {
        "brk": 12, "munmap": 11, "mremap": 25, "madvise": 28, "futex": 202, "sched_yield": 24,
        "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "sigaltstack": 131,
        "restart_syscall": 219, "exit": 60, "exit_group": 231, "getpid": 39, "gettid": 186,
        "getppid": 110, "getuid": 102, "geteuid": 107, "getgid": 104, "getegid": 108,
        "getrusage": 98, "times": 100, "clock_gettime": 228, "clock_getres": 229,
        "getrandom": 318, "getcpu": 309, "sched_getaffinity": 204,
    },
    "aarch64": {
        "brk": 214, "munmap": 215, "mremap": 216, "madvise": 233, "futex": 98, "sched_yield": 124,
        "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139, "sigaltstack": 132,
        "restart_syscall": 128, "exit": 93, "exit_group": 94, "getpid": 172, "gettid": 178,
        "getppid": 173, "getuid": 174, "geteuid": 175, "getgid": 176, "getegid": 177,
        "getrusage": 165, "times": 153, "clock_gettime": 113, "clock_getres": 114,
        "getrandom": 278, "getcpu": 168, "sched_getaffinity": 123,
    },
}  # fmt: skip
_READ_FILES = {
    "x86_64": {
        "close": 3, "fstat": 5, "stat": 4, "lstat": 6, "newfstatat": 262, "statx": 332, "lseek": 8,
        "pread64": 17, "getdents64": 217, "readlink": 89, "readlinkat": 267, "getcwd": 79,
    },
    "aarch64": {
        "close": 57, "fstat": 80, "newfstatat": 79, "statx": 291, "lseek": 62, "pread64": 67,
        "getdents64": 61, "readlinkat": 78, "getcwd": 17,
    },
}  # fmt: skip
_CHECKED = {
    "x86_64": {"mmap": 9, "mprotect": 10, "openat": 257, "prlimit64": 302},
    "aarch64": {"mmap": 222, "mprotect": 226, "openat": 56, "prlimit64": 261},
}

_Instruction = tuple[int, int, int, int]


def build_filter(*, open_files: bool, arch: str | None = None) -> bytes:
    """The program for ``arch`` (default: this machine).

    With ``open_files`` files may be opened for reading.
    """
    arch = arch or machine()
    checked = _CHECKED[arch]
    program: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, _ARCHITECTURES[arch]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if arch == "x86_64":
        program += [(_JUMP_GREATER_EQUAL, 0, 1, _X32_TABLE), (_RETURN, 0, 0, _KILL)]
    for table in (_TALK, _MEMORY_AND_SELF, _READ_FILES):
        for number in table[arch].values():
            program += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    program += _unless_bits(checked["mmap"], argument=2, bits=_PROT_EXEC)
    program += _unless_bits(checked["mprotect"], argument=2, bits=_PROT_EXEC)
    program += _read_own_limits(checked["prlimit64"])
    if open_files:
        program += _unless_bits(checked["openat"], argument=2, bits=_WRITING_FLAGS)
    program.append((_RETURN, 0, 0, _DENY))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)


def _unless_bits(number: int, *, argument: int, bits: int) -> list[_Instruction]:
    """Allow ``number`` unless any of ``bits`` is set in the argument's low half."""
    return [
        (_JUMP_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _ARGUMENTS + 8 * argument),
        (_JUMP_ANY_BIT, 0, 1, bits),
        (_RETURN, 0, 0, _DENY),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _read_own_limits(number: int) -> list[_Instruction]:
    """Allow ``prlimit64(0, resource, NULL, out)``: reading one's own limits, changing none."""
    must_be_zero = (_ARGUMENTS, _ARGUMENTS + 16, _ARGUMENTS + 20)
    program = [(_JUMP_EQUAL, 0, 2 * len(must_be_zero) + 2, number)]
    for index, offset in enumerate(must_be_zero):
        to_deny = 2 * (len(must_be_zero) - index) - 1
        program += [(_LOAD, 0, 0, offset), (_JUMP_EQUAL, 0, to_deny, 0)]
    return [*program, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _DENY)]


def install(program: bytes) -> None:
    """Lock this process for good; needs no_new_privs. Raises OSError."""
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("<HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    call("seccomp", _SECCOMP_SET_MODE_FILTER, 0, ctypes.create_string_buffer(header, len(header)))
