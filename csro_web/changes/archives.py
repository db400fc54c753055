"""Programs out of what somebody sends: one text file, or a zip of several. Pure; no Django.

Nothing is unpacked to a disk, and nothing that an archive says of itself is believed: names are
labels, stated sizes are checked against what comes out, and at most so much is taken out as a
program may have.
"""

from __future__ import annotations

import hashlib
import io
import stat
import zipfile
import zlib
from dataclasses import dataclass

from oracles.parsing import MAX_SOURCE_BYTES

MOST_BYTES = 16 * 1024 * 1024
"""Of what is sent."""
MOST_ENTRIES = 200
"""Members that an archive may list, of whatever kind."""
MOST_PROGRAMS = 50
TOO_MANY = f"at most {MOST_PROGRAMS} programs are taken at once"
"""Why those beyond it are left out."""
MOST_UNPACKED = 4 * 1024 * 1024
"""Of all programs of an archive together."""
MOST_RATIO = 100
"""Unpacked to packed; text seldom reaches 10."""
_SMALL = 4_096
"""Bytes below which the ratio says nothing."""
_ZIP = b"PK\x03\x04"
_ZIP_STARTS = (_ZIP, b"PK\x05\x06", b"PK\x07\x08")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    OverflowError,
    RuntimeError,  # of which "not implemented" is one
    ValueError,
)
"""What :mod:`zipfile` raises for archives that are damaged or made to harm."""


class NotAccepted(Exception):
    """Nothing of what was sent is taken; the message says why and what to do."""


@dataclass(frozen=True)
class Brought:
    """The text of a program; ``name`` is what it was called where it came from, untrusted."""

    name: str
    text: str
    sha256: str
    """Of its bytes as they were sent."""


@dataclass(frozen=True)
class LeftOut:
    name: str
    why: str


@dataclass(frozen=True)
class Contents:
    programs: tuple[Brought, ...]
    left_out: tuple[LeftOut, ...]


def looks_like_zip(data: bytes) -> bool:
    return data.startswith(_ZIP_STARTS)


def read_file(name: str, data: bytes) -> Contents:
    """The programs in a file that was sent; what it is follows from its bytes, not its name.

    Raises:
        NotAccepted: when it is too large, or neither Python text nor a zip that can be read.
    """
    if len(data) > MOST_BYTES:
        raise NotAccepted(f"The file is too large: at most {MOST_BYTES // 2**20} MB are taken.")
    if not data:
        raise NotAccepted("The file is empty.")
    is_zip = looks_like_zip(data)
    if is_zip and name.lower().endswith(".py"):
        raise NotAccepted(
            "The file is called .py but holds a zip archive. If that is meant, name it .zip."
        )
    if is_zip:
        return read_zip(data)
    if name.lower().endswith(".zip"):
        raise NotAccepted("The file is called .zip but is no zip archive.")
    try:
        return Contents((_brought(name, data),), ())
    except NotText as error:
        raise NotAccepted(f"The file is no Python text: {error}.") from error


class NotText(ValueError):
    """Bytes that are no text that a program may have."""


def _brought(name: str, data: bytes) -> Brought:
    return Brought(name, decoded(data), hashlib.sha256(data).hexdigest())


def decoded(data: bytes) -> str:
    """UTF-8, with or without a byte order mark.

    Raises:
        NotText: for anything else, saying what it seems to be.
    """
    if not data.strip():
        raise NotText("it is empty")
    if data.startswith(_UTF_16):
        raise NotText("it seems to be UTF-16; save it as UTF-8")
    if b"\x00" in data:
        raise NotText("it holds NUL bytes")
    if len(data) > MAX_SOURCE_BYTES:
        raise NotText(f"it has {len(data):,} bytes; a program may have {MAX_SOURCE_BYTES:,}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise NotText(
            f"line {line} holds the byte 0x{data[error.start]:02x}, which is not UTF-8;"
            " save it as UTF-8"
        ) from error


def read_zip(data: bytes) -> Contents:
    """The ``.py`` members of a zip; of the others, why they were left out.

    Raises:
        NotAccepted: when its directory cannot be read, or lists too much.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _members(archive)
    except _BROKEN as error:
        raise NotAccepted(f"The zip archive is damaged or cut off: {error}.") from error


def _members(archive: zipfile.ZipFile) -> Contents:
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES:
        raise NotAccepted(
            f"The archive lists {len(entries):,} members; at most {MOST_ENTRIES} are taken."
        )
    programs: list[Brought] = []
    left_out: list[LeftOut] = []
    names = [entry.filename for entry in entries]
    room = MOST_UNPACKED
    for entry in entries:
        why = _why_not(entry, twice=names.count(entry.filename) > 1)
        if not why and len(programs) == MOST_PROGRAMS:
            why = TOO_MANY
        if not why and room < MAX_SOURCE_BYTES:
            why = "the archive unpacks to too much"
        if not why:
            try:
                content = _content(archive, entry)
                room -= len(content)
                programs.append(_brought(entry.filename, content))
            except NotText as error:
                why = str(error)
            except _BROKEN as error:
                why = f"it is damaged: {error}"
        if why and not _is_folder(entry):
            left_out.append(LeftOut(entry.filename, why))
    if not programs and not left_out:
        raise NotAccepted("The archive holds no file.")
    return Contents(tuple(programs), tuple(left_out))


def _is_folder(entry: zipfile.ZipInfo) -> bool:
    return entry.filename.endswith("/")  # is_dir() fails for a member without a name


def _why_not(entry: zipfile.ZipInfo, *, twice: bool) -> str:
    """Why a member is not read at all; empty when it is."""
    name = entry.filename
    if _is_folder(entry):
        return "it is a folder"
    parts = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]:
        return "its name leads out of the archive"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "it is a symbolic link"
    if entry.flag_bits & 0x1:
        return "it is encrypted"
    if not name.lower().endswith(".py"):
        return "it is no .py file"
    if twice:
        return "the archive has several members of this name"
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "it is packed in a way that is not read here; use deflate"
    if entry.file_size > MAX_SOURCE_BYTES:
        return f"it has {entry.file_size:,} bytes; a program may have {MAX_SOURCE_BYTES:,}"
    if entry.file_size > _SMALL and entry.file_size > MOST_RATIO * max(entry.compress_size, 1):
        return "it unpacks to far more than it is"
    return ""


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """What comes out, whatever size it was stated to have.

    Raises:
        NotText: when more comes out than a program may have.
    """
    with archive.open(entry) as member:
        content = member.read(MAX_SOURCE_BYTES + 1)
        if len(content) > MAX_SOURCE_BYTES or member.read(1):
            raise NotText(f"it unpacks to more than {MAX_SOURCE_BYTES:,} bytes")
    if looks_like_zip(content):
        raise NotText("it is an archive inside the archive, which is not opened")
    return content
