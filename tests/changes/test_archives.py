"""Files that people send: what is no program is refused with words, and nothing is believed."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csro_web.changes import archives
from csro_web.changes.archives import NotAccepted, read_file

GOOD = b"class Policy:\n    def act(self, obs):\n        return 0\n"


def zipped(
    *members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content, compress_type=method)
    return buffer.getvalue()


def why(data: bytes, name: str) -> str:
    return next(one.why for one in read_file("a.zip", data).left_out if one.name == name)


def test_a_text_and_the_programs_of_a_zip_are_read() -> None:
    (one,) = read_file("mine.py", GOOD).programs
    assert one.text == GOOD.decode()
    found = read_file("a.zip", zipped(("a/b.py", GOOD), ("README.md", b"x"), ("c.py", GOOD)))
    assert [one.name for one in found.programs] == ["a/b.py", "c.py"]
    assert [(one.name, one.why) for one in found.left_out] == [("README.md", "it is no .py file")]


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.py", b"", "empty"),
        ("a.py", b"  \n", "empty"),
        ("a.py", GOOD.decode().encode("utf-16"), "UTF-16"),
        ("a.py", "# caf\xe9\n".encode("latin-1"), "line 1 holds the byte 0xe9"),
        ("a.py", b"x = 1\n\xff\xff", "line 2 holds the byte 0xff"),
        ("a.py", b"x = '\x00'\n", "NUL"),
        ("a.py", b"x = '" + b"y" * 100_000 + b"'\n", "100,007 bytes"),
        ("a.py", zipped(("b.py", GOOD)), "called .py but holds a zip"),
        ("a.zip", GOOD, "no zip archive"),
        ("a.zip", zipped(("b.py", GOOD))[:-40], "damaged or cut off"),
        ("a.zip", zipped(), "holds no file"),
        ("a.zip", zipped(*((f"{i}.py", GOOD) for i in range(201))), "201 members"),
        ("a.py", b"x" * (archives.MOST_BYTES + 1), "at most 16 MB"),
    ],
)
def test_what_is_no_program_is_refused_with_words(name: str, data: bytes, told: str) -> None:
    with pytest.raises(NotAccepted, match=told):
        read_file(name, data)


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert read_file("a.py", b"\xef\xbb\xbf" + GOOD).programs[0].text == GOOD.decode()


@pytest.mark.parametrize(
    "name", ["../up.py", "/etc/cron.py", "a/../../b.py", "..\\up.py", "\\share\\x.py", "C:\\x.py"]
)
def test_names_that_lead_out_of_the_archive_are_left_out(name: str) -> None:
    assert why(zipped((name, GOOD)), name) == "its name leads out of the archive"


def test_links_nested_archives_and_twins_are_left_out() -> None:
    link = zipfile.ZipInfo("link.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert "symbolic link" in why(zipped((link, b"/etc/passwd")), "link.py")
    inner = zipped(("b.py", GOOD))
    assert "not opened" in why(zipped(("inner.py", inner)), "inner.py")
    with pytest.warns(UserWarning, match="Duplicate"):
        twins = zipped(("a.py", GOOD), ("a.py", GOOD + b"#"))
    assert len(read_file("a.zip", twins).left_out) == 2


def test_a_bomb_is_told_by_what_it_says_and_by_what_comes_out() -> None:
    assert "a program may have" in why(zipped(("bomb.py", b"\0" * 50_000_000)), "bomb.py")
    dense = zipped(("dense.py", b" " * 60_000))
    assert "far more than it is" in why(dense, "dense.py")
    liar = _stating(zipped(("liar.py", b"# x\n" * 100_000)), size=100)
    assert read_file("a.zip", liar).programs == ()


def _stating(data: bytes, *, size: int) -> bytes:
    """The archive with another unpacked size in both headers of its member."""
    place = data.index(b"PK\x01\x02")
    told = struct.pack("<I", size)
    local = data[:22] + told + data[26:]
    return local[: place + 24] + told + local[place + 28 :]


def _encrypted(data: bytes) -> bytes:
    place = data.index(b"PK\x01\x02")
    return data[:6] + b"\x01\x00" + data[8 : place + 8] + b"\x01\x00" + data[place + 10 :]


def _wrong_checksum(data: bytes) -> bytes:
    place = data.index(b"PK\x01\x02")
    return data[:14] + b"abcd" + data[18 : place + 16] + b"abcd" + data[place + 20 :]


def _zip64_nonsense(data: bytes) -> bytes:
    """A size of 0xFFFFFFFF that promises an extra field which is not there."""
    return _stating(data, size=0xFFFFFFFF)


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (_encrypted, "encrypted"),
        (_wrong_checksum, "damaged"),
        (_zip64_nonsense, "a program may have"),
    ],
)
def test_harmed_members_are_left_out(harm: Callable[[bytes], bytes], told: str) -> None:
    assert told in why(harm(zipped(("a.py", GOOD))), "a.py")


def test_other_ways_of_packing_are_not_read() -> None:
    assert "use deflate" in why(zipped(("a.py", GOOD), method=zipfile.ZIP_LZMA), "a.py")


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_changed_byte_ends_in_an_unexpected_error(data: st.DataObject) -> None:
    archive = bytearray(zipped(("a.py", GOOD), ("b/c.py", GOOD * 40)))
    for _ in range(data.draw(st.integers(1, 4))):
        archive[data.draw(st.integers(0, len(archive) - 1))] = data.draw(st.integers(0, 255))
    told = ""
    try:
        found = read_file("a.zip", bytes(archive))
    except NotAccepted as error:
        told = str(error)
    assert told or found.programs or found.left_out
