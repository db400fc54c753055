"""The two members that a bundle begins with: what is in it, and who says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from csro_web.bundles import canonical
from csro_web.bundles.archive import LOCAL_HEADER, Entry, check_entries
from csro_web.bundles.ed25519 import fingerprint, is_signed

FORMAT = "csro-bundle/2"
"""Raised with every change of the layout, the manifest's meaning or what is signed."""
MANIFEST, SIGNATURE = "manifest.json", "signature.json"
_DOMAIN = b"CSRO bundle 1\n"
"""Before the signed bytes: nothing else that the key signs can be taken for a bundle."""
_ALGORITHM = "Ed25519"
_NEXT_MEMBER = b"PK\3\4"
"""Cannot occur in either member: both are ASCII without control characters."""


class EnvelopeError(ValueError):
    """``member`` is not what it must be; the message says why."""

    def __init__(self, member: str, why: str) -> None:
        self.member = member
        super().__init__(why)


@dataclass(frozen=True)
class Member:
    """A member as the manifest lists it."""

    entry: Entry
    sha256: str


@dataclass(frozen=True)
class Envelope:
    """A manifest with a signature that fits it."""

    manifest_bytes: bytes
    signature_bytes: bytes
    manifest: Mapping[str, Any]
    members: tuple[Member, ...]
    """All others, in their order in the archive."""
    public_key: bytes
    """Of whoever signed. Anybody can sign: it says who did only to those who know the key."""

    @property
    def entries(self) -> list[Entry]:
        own = ((MANIFEST, self.manifest_bytes), (SIGNATURE, self.signature_bytes))
        return [*(Entry.of(*pair) for pair in own), *(member.entry for member in self.members)]


def seal(manifest: bytes, *, public_key: bytes, sign: Callable[[bytes], bytes]) -> bytes:
    """The bytes of ``signature.json`` for the bytes of a manifest."""
    return _spelled(public_key, sign(_DOMAIN + manifest))


def _spelled(public_key: bytes, signature: bytes) -> bytes:
    return canonical.dump(
        {
            "algorithm": _ALGORITHM,
            "fingerprint": fingerprint(public_key),
            "public_key": public_key.hex(),
            "signature": signature.hex(),
            "signs": f"{FORMAT} {MANIFEST}",
        }
    )


def open_envelope(data: bytes) -> Envelope:
    """The envelope of an archive.

    Whether the rest of the archive is as its manifest says is not looked at.

    Raises:
        EnvelopeError: when the manifest or the signature was changed, or there is none.
    """
    failure: EnvelopeError | None = None
    for manifest, signature in _places(data):
        try:
            return opened(manifest, signature)
        except EnvelopeError as error:
            failure = failure or error
    raise failure or EnvelopeError(MANIFEST, "the file does not begin as a bundle does")


def _places(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Where the two could be: each ends where its header says, or where the next mark stands.

    So they are found even when their headers were changed, and the headers can be named.
    """
    for start, stop in _extents(data, 0, MANIFEST):
        for following, end in _extents(data, stop, SIGNATURE):
            yield data[start:stop], data[following:end]


def _extents(data: bytes, place: int, name: str) -> list[tuple[int, int]]:
    """Where the content of a short member could begin and end whose header is at ``place``."""
    start = place + LOCAL_HEADER + len(name)
    stated = start + int.from_bytes(data[place + 22 : place + 26], "little")
    ends = {stated, data.find(_NEXT_MEMBER, start)}
    return [(start, end) for end in sorted(ends) if start <= end <= len(data)]


def opened(manifest: bytes, signature: bytes) -> Envelope:
    """The envelope of these two members; raises EnvelopeError as :func:`open_envelope`."""
    public_key, signed = _read_signature(signature)
    if not is_signed(public_key, _DOMAIN + manifest, signed):
        raise EnvelopeError(MANIFEST, "it is not what was signed")
    try:
        content = canonical.load(manifest)
    except canonical.NotCanonical as error:
        raise EnvelopeError(MANIFEST, str(error)) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise EnvelopeError(MANIFEST, f"it is not of format {FORMAT}; use the version that made it")
    return Envelope(manifest, signature, content, _members(content), public_key)


def _read_signature(data: bytes) -> tuple[bytes, bytes]:
    try:
        content = canonical.load(data)
        public_key = bytes.fromhex(content["public_key"])
        signature = bytes.fromhex(content["signature"])
    except (ValueError, TypeError, KeyError) as error:
        raise EnvelopeError(SIGNATURE, f"it cannot be read ({error})") from error
    if _spelled(public_key, signature) != data:
        raise EnvelopeError(SIGNATURE, "it does not say what such a member says")
    return public_key, signature


def _members(content: Mapping[str, Any]) -> tuple[Member, ...]:
    try:
        found = tuple(
            Member(Entry(row["name"], row["size"], row["crc32"]), row["sha256"])
            for row in content["members"]
        )
        numbers = [n for m in found for n in (m.entry.size, m.entry.crc32)]
        texts = [t for m in found for t in (m.entry.name, m.sha256)]
        if not all(type(n) is int and 0 <= n < 2**32 for n in numbers):
            raise TypeError("a length or checksum is no number of 32 bits")
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a name or hash is no text")
        check_entries([Entry(MANIFEST, 0, 0), Entry(SIGNATURE, 0, 0), *(m.entry for m in found)])
    except (KeyError, TypeError, ValueError) as error:
        raise EnvelopeError(MANIFEST, f"its list of members cannot be used ({error})") from error
    return found
