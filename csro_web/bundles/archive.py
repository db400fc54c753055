"""A zip archive that has exactly one spelling for given members.

Members are stored without compression (other versions of zlib compress to other bytes), all dated
1 January 1980, ordinary files of mode 644, without extra fields and comments. So every byte that is
no content follows from names, lengths and checksums, and whoever knows these can say which byte
was changed. (Format: APPNOTE.TXT of PKWARE, sections 4.3.7, 4.3.12 and 4.3.16.)
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
LOCAL_HEADER = _LOCAL.size

_NEEDED = 10
"""Version 1.0 of the format: nothing but stored files."""
_MADE_BY = 3 << 8 | 20
"""Unix, whose file modes the external attributes hold."""
_MODE = 0o100644 << 16
_TIME, _DATE = 0, 1 << 5 | 1
"""Midnight on 1 January 1980, the first moment that the format knows."""

MOST_MEMBERS = 2_000
LARGEST = 64_000_000
"""Bytes of an archive; its numbers then fit the fields of the format without Zip64."""


class ArchiveError(ValueError):
    """These members make no archive, or these bytes are none; the message says why."""


@dataclass(frozen=True)
class Entry:
    """What an archive's headers say of a member."""

    name: str
    size: int
    crc32: int

    @classmethod
    def of(cls, name: str, content: bytes) -> Entry:
        return cls(name, len(content), zlib.crc32(content))


@dataclass(frozen=True)
class Region:
    """A stretch of an archive and what it is, in words; ``member`` names whose content it is.

    ``expected`` is None for content: only its hash is known.
    """

    start: int
    stop: int
    words: str
    member: str | None = None
    expected: bytes | None = None


def write_archive(members: Sequence[tuple[str, bytes]]) -> bytes:
    """The archive of the members, in their order.

    Raises:
        ArchiveError: on too many or too large members, a name twice, or one that is no safe path.
    """
    entries = [Entry.of(name, content) for name, content in members]
    check_entries(entries)
    contents = dict(members)
    return b"".join(
        contents[region.member or ""] if region.expected is None else region.expected
        for region in regions(entries)
    )


def check_entries(entries: Sequence[Entry]) -> None:
    """Raises ArchiveError unless an archive can hold these members and readers need not fear it."""
    if len(entries) > MOST_MEMBERS:
        raise ArchiveError(f"{len(entries)} members are more than the {MOST_MEMBERS} allowed")
    names = {entry.name.casefold() for entry in entries}
    if len(names) != len(entries):
        raise ArchiveError("two members have the same name (capital letters make no difference)")
    for entry in entries:
        if not is_safe(entry.name):
            raise ArchiveError(f"{entry.name[:80]!r} is no safe name of a member")
    if sum(entry.size for entry in entries) > LARGEST:
        raise ArchiveError(f"the members are larger than {LARGEST // 1_000_000} MB together")


def is_safe(name: str) -> bool:
    """Whether the name is a relative path of plain parts that every system can unpack."""
    parts = name.split("/")
    plain = name.isascii() and all(c.isalnum() or c in "._-/" for c in name)
    return plain and len(name) <= 200 and all(p.strip(".") and p[-1] != "." for p in parts)


def regions(entries: Sequence[Entry]) -> list[Region]:
    """The whole layout of the archive, from its first byte to its last."""
    found: list[Region] = []
    central: list[tuple[str, bytes]] = []
    place = 0
    for entry in entries:
        name = entry.name.encode("ascii")
        shared = (_NEEDED, 0, 0, _TIME, _DATE, entry.crc32, entry.size, entry.size, len(name), 0)
        local = _LOCAL.pack(b"PK\3\4", *shared) + name
        row = _CENTRAL.pack(b"PK\1\2", _MADE_BY, *shared, 0, 0, 0, _MODE, place) + name
        central.append((entry.name, row))
        content = place + len(local)
        words = f"the archive's own header of member {entry.name}"
        found.append(Region(place, content, words, expected=local))
        place = content + entry.size
        found.append(Region(content, place, f"member {entry.name}", member=entry.name))
    start = place
    for name_, row in central:
        words = f"the archive's own directory entry of member {name_}"
        found.append(Region(place, place + len(row), words, expected=row))
        place += len(row)
    many = len(entries)
    end = _END.pack(b"PK\5\6", 0, 0, many, many, place - start, start, 0)
    found.append(Region(place, place + len(end), "the archive's own end record", expected=end))
    return found


def first_entries(data: bytes, count: int) -> list[tuple[str, bytes]]:
    """Names and contents of the first members, read from the start of the archive.

    Only the lengths that their headers state are believed; everything is checked later.

    Raises:
        ArchiveError: when the bytes do not begin with so many members.
    """
    found: list[tuple[str, bytes]] = []
    place = 0
    for _ in range(count):
        if data[place : place + 4] != b"PK\3\4" or len(data) < place + LOCAL_HEADER:
            raise ArchiveError(f"no member of an archive begins at byte {place:,}")
        header = _LOCAL.unpack_from(data, place)
        size, length, extra = header[7], header[9], header[10]
        content = place + LOCAL_HEADER + length + extra
        if content + size > len(data):
            raise ArchiveError(f"the member at byte {place:,} goes beyond the end of the file")
        name = data[place + LOCAL_HEADER : place + LOCAL_HEADER + length]
        found.append((name.decode("ascii", "replace"), data[content : content + size]))
        place = content + size
    return found
