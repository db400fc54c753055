"""Whether a bundle is byte for byte what was signed, and if not, what was changed."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from csro_web.bundles.archive import LARGEST, LOCAL_HEADER, ArchiveError, first_entries, regions
from csro_web.bundles.ed25519 import fingerprint
from csro_web.bundles.envelope import (
    MANIFEST,
    SIGNATURE,
    Envelope,
    EnvelopeError,
    open_envelope,
    opened,
)

MOST_FINDINGS = 20
LARGEST_FILE = LARGEST + 2_000_000
"""Bytes of the largest archive that can be made, headers included."""


@dataclass(frozen=True)
class Finding:
    """Something that is not as it was signed; ``where`` names the member or the place."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True)
class Examination:
    """What the bytes say of themselves, before anybody's key is asked for."""

    envelope: Envelope | None
    """None when the manifest or its signature was changed."""
    findings: tuple[Finding, ...]

    @property
    def intact(self) -> bool:
        return not self.findings


def examine(data: bytes) -> Examination:
    """Compare every byte of an archive with what its signed manifest says it must be."""
    if len(data) > LARGEST_FILE:
        return _refused(
            "the file", f"larger than the {LARGEST_FILE // 1_000_000} MB a bundle may have"
        )
    try:
        envelope = open_envelope(data)
    except EnvelopeError as error:
        leading = data.find(b"PK\3\4", 1)
        if 0 < leading < 1_000_000 and _begins(data[leading:]):
            return _refused("before the beginning of the archive", f"{leading:,} bytes were added")
        return _refused(*_changed_part(data, error))
    return Examination(envelope, tuple(_differences(data, envelope)[:MOST_FINDINGS]))


def signer_finding(envelope: Envelope, keys: Sequence[bytes]) -> Finding | None:
    """What is wrong when the bundle must have been signed by the holder of one of ``keys``."""
    if envelope.public_key in keys:
        return None
    given = ", ".join(fingerprint(key) for key in keys)
    signed = fingerprint(envelope.public_key)
    return Finding("signature", f"made with the key {signed}, not with the given one ({given})")


def _refused(where: str, what: str) -> Examination:
    return Examination(None, (Finding(where, what),))


def _begins(data: bytes) -> bool:
    try:
        open_envelope(data)
    except EnvelopeError:
        return False
    return True


def _fits(manifest: bytes, signature: bytes) -> bool:
    try:
        opened(manifest, signature)
    except EnvelopeError:
        return False
    return True


def _changed_part(data: bytes, error: EnvelopeError) -> tuple[str, str]:
    """Which of manifest and signature was changed: its header's checksum tells them apart."""
    try:
        both = first_entries(data, 2)
    except ArchiveError as broken:
        return f"member {error.member}", f"{error} ({broken})"
    if _fits(*(content for _, content in both)):
        return "the archive's own headers", "another program packed the members anew"
    place = 0
    for expected, (name, content) in zip((MANIFEST, SIGNATURE), both, strict=True):
        if name != expected:
            return "the file", f"it is no bundle: member {expected} is not where it must be"
        stated = int.from_bytes(data[place + 14 : place + 18], "little")
        if zlib.crc32(content) != stated:
            return f"member {name}", "it was changed"
        place += LOCAL_HEADER + len(name) + len(content)
    return f"member {error.member}", str(error)


def _differences(data: bytes, envelope: Envelope) -> list[Finding]:
    layout = regions(envelope.entries)
    length = layout[-1].stop
    hashes = {member.entry.name: member.sha256 for member in envelope.members}
    for name, content in (
        (MANIFEST, envelope.manifest_bytes),
        (SIGNATURE, envelope.signature_bytes),
    ):
        hashes[name] = hashlib.sha256(content).hexdigest()
    found = []
    for region in layout:
        chunk = data[region.start : region.stop]
        if region.expected is not None:
            same = chunk == region.expected
        else:
            same = hashlib.sha256(chunk).hexdigest() == hashes[region.member or ""]
        if same:
            continue
        found.append(Finding(region.words, _in_words(data, region.start, region.stop)))
        if len(data) != length:  # what follows was moved by it
            break
    if not found and len(data) > length:
        extra = len(data) - length
        found.append(Finding("after the end of the archive", f"{extra:,} bytes were added"))
    return found


def _in_words(data: bytes, start: int, stop: int) -> str:
    if len(data) < stop:
        return f"the file ends at byte {len(data):,}, before byte {stop:,}"
    return f"it was changed (bytes {start:,} to {stop:,})"
