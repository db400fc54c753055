"""The one spelling of an archive, and that every unpacker reads it alike."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csro_web.bundles import canonical
from csro_web.bundles.archive import (
    MOST_MEMBERS,
    ArchiveError,
    Entry,
    check_entries,
    is_safe,
    regions,
    write_archive,
)
from csro_web.bundles.envelope import open_envelope
from csro_web.bundles.reading import BundleError, read_bundle
from csro_web.bundles.writing import write_bundle
from tests.bundles import made

NAMES = st.from_regex(r"[a-z0-9_]{1,12}(/[a-z0-9_]{1,12}){0,2}\.(py|txt)", fullmatch=True)
MEMBERS = st.dictionaries(NAMES, st.binary(max_size=300), max_size=8)


@settings(max_examples=80, deadline=None)
@given(MEMBERS)
def test_the_zip_module_reads_what_was_written_and_the_layout_covers_it(
    members: dict[str, bytes],
) -> None:
    data = write_archive(list(members.items()))
    with zipfile.ZipFile(io.BytesIO(data)) as read:
        assert read.testzip() is None
        assert {name: read.read(name) for name in read.namelist()} == members
    layout = regions([Entry.of(*member) for member in members.items()])
    assert [r.start for r in layout] == [0, *(r.stop for r in layout[:-1])]
    assert layout[-1].stop == len(data)


@settings(max_examples=60, deadline=None)
@given(MEMBERS, st.text(max_size=50), st.integers(0, 10_000), st.integers(1, 255))
def test_what_is_sealed_opens_alike_and_no_changed_byte_stays_hidden(
    members: dict[str, bytes], words: str, place: int, flip: int
) -> None:
    facts = {"draft": True, "population": [], "words": words}
    data = write_bundle(facts, list(members.items()), made.signer())
    assert data == write_bundle(facts, list(members.items()), made.signer())
    bundle = read_bundle(data)
    assert dict(bundle.members) == members
    assert bundle.manifest["words"] == words
    changed = bytearray(data)
    changed[place % len(data)] ^= flip
    with pytest.raises(BundleError):
        read_bundle(bytes(changed))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_bytes_of_any_kind_are_refused_with_a_message(data: bytes) -> None:
    with pytest.raises(BundleError, match=r"\w"):
        read_bundle(data)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "../up.py",
            "/root.py",
            "a//b.py",
            "a/../b.py",
            "a\\b.py",
            "c:a.py",
            "",
            "a/",
            ".",
            "a/./b",
        ),
        *("e\u0301.py", "a b.py", "a\nb.py", "x" * 201, "end.", "nul\0.py"),
    ],
)
def test_unsafe_names_are_no_members(name: str) -> None:
    assert not is_safe(name)
    with pytest.raises(ArchiveError):
        write_archive([(name, b"")])


def test_names_that_a_file_system_takes_for_the_same_are_refused() -> None:
    with pytest.raises(ArchiveError, match="same name"):
        write_archive([("a.py", b""), ("A.py", b"")])
    with pytest.raises(ArchiveError, match="same name"):
        write_archive([("a.py", b"1"), ("a.py", b"2")])


def test_bundles_load_without_django() -> None:
    code = (
        "import sys, pkgutil, importlib, csro_web.bundles as package\n"
        "for module in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "    importlib.import_module(module.name)\n"
        "import csro_web.cli.verify\n"
        "sys.exit('django' in sys.modules)\n"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_there_are_limits_that_a_signed_manifest_cannot_lift() -> None:
    with pytest.raises(ArchiveError, match="more than"):
        check_entries([Entry(f"m{n}", 0, 0) for n in range(MOST_MEMBERS + 1)])
    with pytest.raises(ArchiveError, match="larger"):
        check_entries([Entry("bomb", 2**32 - 1, 0)])


def resigned(**changes: object) -> bytes:
    """A bundle whose signer is the attacker: its manifest says anything it likes."""
    from csro_web.bundles.archive import write_archive as pack
    from csro_web.bundles.envelope import seal

    data = made.small_bundle()
    envelope = open_envelope(data)
    bundle = read_bundle(data)
    manifest = canonical.dump({**json.loads(envelope.manifest_bytes), **changes})
    key = made.signer()
    signature = seal(manifest, public_key=key.public_key, sign=key.sign)
    rest = list(bundle.members.items())
    return pack([("manifest.json", manifest), ("signature.json", signature), *rest])


ROW = {"name": "a.py", "size": 1, "crc32": 0, "sha256": "0"}


@pytest.mark.parametrize(
    "changes",
    [
        {"members": "none"},
        {"members": [{**ROW, "size": -1}]},
        {"members": [{**ROW, "size": 2**40}]},
        {"members": [{**ROW, "size": 1.5}]},
        {"members": [{**ROW, "size": True}]},
        {"members": [{**ROW, "name": "../../etc/passwd"}]},
        {"members": [{**ROW, "name": ["a"]}]},
        {"members": [ROW, ROW]},
        {"members": [{**ROW, "name": "manifest.json"}]},
        {"members": [{**ROW, "name": f"m{n}"} for n in range(3000)]},
        {"population": None},
        {"population": [{"member": "nowhere.py"}]},
        {"population": [{"member": ["x"]}]},
        {"draft": "no"},
        {"format": "csro-bundle/999"},
    ],
)
def test_a_signed_manifest_that_lies_is_refused_with_a_message(changes: dict[str, object]) -> None:
    with pytest.raises(BundleError, match=r"\w"):
        read_bundle(resigned(**changes))


def test_a_directory_whose_size_is_zero_does_not_hide_the_members() -> None:
    """zipfile takes such an archive for an empty one (GuardDog issue 780)."""
    data = bytearray(made.small_bundle())
    data[-10:-6] = bytes(4)
    assert zipfile.ZipFile(io.BytesIO(bytes(data))).namelist() == []
    with pytest.raises(BundleError, match="end record"):
        read_bundle(bytes(data))


def test_headers_that_disagree_with_the_directory_are_found() -> None:
    """What a reader of the one sees, a reader of the other does not (OpenJDK pull 23532)."""
    data = made.small_bundle()
    local = next(r for r in regions(open_envelope(data).entries) if r.words.endswith("report.html"))
    header = data[local.start : local.stop].replace(b"report", b"r3port")
    changed = data[: local.start] + header + data[local.stop :]
    assert "report.html" in zipfile.ZipFile(io.BytesIO(changed)).namelist()
    with pytest.raises(BundleError, match=r"header of member report\.html"):
        read_bundle(changed)


@pytest.mark.parametrize(
    "data",
    [
        *(b"[" * 100_000, b'{"a":1,"a":1}\n', b"NaN\n", b'{"a": 1}\n', b"1" * 5000, b"\xff", b""),
        *(b"{}", b'"\\u0061"\n', b"1e400\n", b"-0\n"),
    ],
)
def test_json_in_another_spelling_is_refused(data: bytes) -> None:
    with pytest.raises(canonical.NotCanonical):
        canonical.load(data)
