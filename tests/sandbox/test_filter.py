"""The hand-written seccomp program decides as intended, on both machines it knows."""

from __future__ import annotations

import struct

import pytest

from games.sandbox.jail.attempts import _FORBIDDEN_CALLS
from games.sandbox.jail.seccomp import build_filter

ALLOW, DENY, KILL = 0x7FFF0000, 0x00050001, 0x80000000
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
OPENAT = {"x86_64": 257, "aarch64": 56}
MMAP = {"x86_64": 9, "aarch64": 222}
PRLIMIT = {"x86_64": 302, "aarch64": 261}
RECVFROM = {"x86_64": 45, "aarch64": 207}


def decide(program: bytes, architecture: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """Run the classic BPF program over a seccomp_data record."""
    padded = (*arguments, *(0,) * (6 - len(arguments)))
    data = struct.pack("<IIQ6Q", number, architecture, 0, *padded)
    instructions = list(struct.iter_unpack("<HBBI", program))
    accumulator = position = 0
    while True:
        code, if_true, if_false, value = instructions[position]
        position += 1
        if code == 0x06:
            return value
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
            continue
        holds = {
            0x15: accumulator == value,
            0x35: accumulator >= value,
            0x45: bool(accumulator & value),
        }[code]
        position += if_true if holds else if_false


@pytest.fixture(params=["x86_64", "aarch64"])
def arch(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_reading_is_allowed_and_writing_is_not(arch: str) -> None:
    program, audit = build_filter(open_files=True, arch=arch), ARCHITECTURES[arch]
    directory, close_on_exec = 0o200000, 0o2000000
    assert decide(program, audit, OPENAT[arch], (0, 0, close_on_exec | directory)) == ALLOW
    for writing in (0o1, 0o2, 0o100, 0o1000, 0o2000, 0o20000000 | directory | 0o2):
        assert decide(program, audit, OPENAT[arch], (0, 0, close_on_exec | writing)) == DENY


def test_without_landlock_nothing_is_opened(arch: str) -> None:
    program = build_filter(open_files=False, arch=arch)
    assert decide(program, ARCHITECTURES[arch], OPENAT[arch]) == DENY


def test_memory_is_never_executable(arch: str) -> None:
    program, audit = build_filter(open_files=True, arch=arch), ARCHITECTURES[arch]
    assert decide(program, audit, MMAP[arch], (0, 4096, 3)) == ALLOW
    assert decide(program, audit, MMAP[arch], (0, 4096, 5)) == DENY


def test_limits_can_be_read_and_not_set(arch: str) -> None:
    program, audit = build_filter(open_files=True, arch=arch), ARCHITECTURES[arch]
    assert decide(program, audit, PRLIMIT[arch], (0, 9, 0, 1)) == ALLOW
    assert decide(program, audit, PRLIMIT[arch], (0, 9, 1, 0)) == DENY
    assert decide(program, audit, PRLIMIT[arch], (0, 9, 1 << 32, 0)) == DENY
    assert decide(program, audit, PRLIMIT[arch], (77, 9, 0, 1)) == DENY


def test_what_is_not_listed_is_denied(arch: str) -> None:
    program, audit = build_filter(open_files=True, arch=arch), ARCHITECTURES[arch]
    for number in (*_FORBIDDEN_CALLS[arch].values(), 999):
        assert decide(program, audit, number) == DENY
    assert decide(program, audit, RECVFROM[arch]) == ALLOW


def test_a_foreign_architecture_is_killed(arch: str) -> None:
    program = build_filter(open_files=True, arch=arch)
    i386 = 0x40000003
    assert decide(program, i386, RECVFROM[arch]) == KILL


def test_the_x32_table_is_killed() -> None:
    program = build_filter(open_files=True, arch="x86_64")
    assert decide(program, ARCHITECTURES["x86_64"], 0x40000000 | 45) == KILL
