"""Whatever is changed in a bundle is found, and the place of the change is named."""

from __future__ import annotations

import io
import random
import struct
import zipfile
from collections.abc import Callable

import pytest

from csro_web.bundles.archive import regions
from csro_web.bundles.envelope import open_envelope
from csro_web.bundles.reading import BundleError, read_bundle
from csro_web.bundles.verifying import examine
from tests.bundles import made

DATA = made.small_bundle()
LAYOUT = regions(open_envelope(DATA).entries)


def place_of(byte: int) -> str:
    return next(region.words for region in LAYOUT if region.start <= byte < region.stop)


def first_difference(changed: bytes) -> int:
    pairs = zip(DATA, changed, strict=False)
    shorter = min(len(DATA), len(changed))
    return next((at for at, (was, now) in enumerate(pairs) if was != now), shorter)


def test_a_bundle_that_nobody_touched_is_intact() -> None:
    assert examine(DATA).intact
    assert examine(DATA).envelope is not None
    assert zipfile.ZipFile(io.BytesIO(DATA)).testzip() is None


def test_a_thousand_changes_of_one_byte_are_found_and_their_place_is_named() -> None:
    rng = random.Random(20261130)
    # Contents are most of the bytes: half of the changes go to headers and the end.
    headers = [
        at for region in LAYOUT if region.expected for at in range(region.start, region.stop)
    ]
    places = rng.sample(headers, 500) + rng.sample(range(len(DATA)), 500)
    for place in places:
        changed = bytearray(DATA)
        changed[place] ^= rng.randrange(1, 256)
        found = examine(bytes(changed)).findings
        assert [one.where for one in found] == [place_of(place)], (place, found)


def test_each_byte_of_every_header_is_covered() -> None:
    for region in LAYOUT:
        if region.expected is None:
            continue
        for place in range(region.start, region.stop):
            changed = bytearray(DATA)
            changed[place] ^= 0x55
            assert [f.where for f in examine(bytes(changed)).findings] == [region.words]


@pytest.mark.parametrize("seed", range(60))
def test_insertions_and_deletions_are_found_where_they_begin_to_matter(seed: int) -> None:
    rng = random.Random(seed)
    place = rng.randrange(len(DATA))
    length = rng.choice([1, 1, 2, 17, 300])
    if seed % 2:
        changed = DATA[:place] + rng.randbytes(length) + DATA[place:]
    else:
        changed = DATA[:place] + DATA[place + length :]
    (found, *_) = examine(changed).findings
    first = first_difference(changed)
    if first == len(DATA):
        assert found.where == "after the end of the archive"
    elif place_of(first).endswith(("manifest.json", "signature.json")) or first == 0:
        assert found.where  # the envelope itself: what was signed is not known any more
    else:
        assert found.where == place_of(first)


@pytest.mark.parametrize("kept", [0, 1, 30, 400, len(DATA) // 2, len(DATA) - 23, len(DATA) - 1])
def test_truncation_is_found(kept: int) -> None:
    assert not examine(DATA[:kept]).intact


@pytest.mark.parametrize("extra", [b"\0", b"\n", b"PK\5\6" + bytes(18), DATA, b"x" * 70_000])
def test_bytes_after_the_end_and_before_the_beginning_are_found(extra: bytes) -> None:
    assert [f.where for f in examine(DATA + extra).findings] == ["after the end of the archive"]
    found = examine(extra + DATA).findings
    assert found
    if extra != DATA:
        assert [f.where for f in found] == ["before the beginning of the archive"]


def rezipped(change: Callable[[zipfile.ZipInfo], None], compression: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(DATA)) as old, zipfile.ZipFile(out, "w", compression) as new:
        for name in old.namelist():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = compression
            info.external_attr = 0o100644 << 16
            change(info)
            new.writestr(info, old.read(name))
    return out.getvalue()


def later(info: zipfile.ZipInfo) -> None:
    info.date_time = (2026, 11, 30, 12, 0, 0)


def executable(info: zipfile.ZipInfo) -> None:
    info.external_attr = 0o100755 << 16


def symlink(info: zipfile.ZipInfo) -> None:
    info.external_attr = 0o120777 << 16


def with_extra_field(info: zipfile.ZipInfo) -> None:
    info.extra = struct.pack("<HHI", 0x5455, 4, 0)


def commented(info: zipfile.ZipInfo) -> None:
    info.comment = b"hello"


@pytest.mark.parametrize("change", [later, executable, symlink, with_extra_field, commented])
def test_equal_contents_in_another_archive_are_refused(
    change: Callable[[zipfile.ZipInfo], None],
) -> None:
    found = examine(rezipped(change, zipfile.ZIP_STORED)).findings
    assert found
    assert all("the archive's own" in finding.where for finding in found)


def test_a_compressed_copy_is_refused() -> None:
    assert not examine(rezipped(lambda info: None, zipfile.ZIP_DEFLATED)).intact


def test_members_in_another_order_are_refused() -> None:
    chosen = made.programs()
    listed = made.members(chosen)
    other = made.write_bundle(made.facts(chosen), [*listed[2:], *listed[:2]], made.signer())
    manifest, signature = (open_envelope(DATA).manifest_bytes, open_envelope(DATA).signature_bytes)
    from csro_web.bundles.archive import write_archive

    swapped = write_archive(
        [("manifest.json", manifest), ("signature.json", signature), *listed[2:], *listed[:2]]
    )
    assert examine(other).intact  # signed in that order, it is as good
    assert not examine(swapped).intact


def test_a_changed_member_with_a_checksum_that_fits_is_named() -> None:
    """What a tool does that repacks an edited file (pip issue 2752: RECORD was not checked)."""
    from csro_web.bundles.archive import write_archive

    envelope = open_envelope(DATA)
    listed = [
        (name, content.replace(b"random", b"rand0m") if name.endswith("uniform.py") else content)
        for name, content in made.members(made.programs())
    ]
    edited = write_archive(
        [
            ("manifest.json", envelope.manifest_bytes),
            ("signature.json", envelope.signature_bytes),
            *listed,
        ]
    )
    wheres = [finding.where for finding in examine(edited).findings]
    name = next(name for name, _ in listed if name.endswith("uniform.py"))
    assert f"member {name}" in wheres
    with pytest.raises(BundleError, match=r"uniform\.py"):
        read_bundle(edited)


def test_a_bundle_signed_anew_by_somebody_else_is_intact_but_not_trusted() -> None:
    theirs = made.small_bundle(by=2)
    assert read_bundle(theirs).trusted is None
    assert read_bundle(theirs, keys=[made.signer(1).public_key]).trusted is False
    assert read_bundle(DATA, keys=[made.signer(1).public_key]).trusted is True


def test_a_signature_of_the_same_key_on_something_else_is_no_signature_of_a_bundle() -> None:
    from csro_web.bundles import canonical
    from csro_web.bundles.archive import write_archive
    from csro_web.bundles.envelope import _spelled

    envelope = open_envelope(DATA)
    alien = made.signer().sign(envelope.manifest_bytes)  # without the words before it
    forged = _spelled(made.signer().public_key, alien)
    assert canonical.load(forged)
    listed = made.members(made.programs())
    data = write_archive(
        [("manifest.json", envelope.manifest_bytes), ("signature.json", forged), *listed]
    )
    assert not examine(data).intact
