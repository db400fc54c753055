"""Putting a bundle together: the same parts and key give the same bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from csro_web.bundles import canonical
from csro_web.bundles.archive import Entry, write_archive
from csro_web.bundles.envelope import FORMAT, MANIFEST, SIGNATURE, seal


@dataclass(frozen=True)
class Signer:
    """The key of an installation: its public part (32 bytes) and what signs with the other."""

    public_key: bytes
    sign: Callable[[bytes], bytes]


def write_bundle(
    facts: Mapping[str, Any], members: Sequence[tuple[str, bytes]], signer: Signer
) -> bytes:
    """The archive. ``facts`` is what the manifest says beside its format and its members.

    Raises:
        ArchiveError: on too many or too large members, a name twice, or one that is no safe path.
    """
    manifest = canonical.dump({**facts, "format": FORMAT, "members": [_row(*m) for m in members]})
    signature = seal(manifest, public_key=signer.public_key, sign=signer.sign)
    return write_archive([(MANIFEST, manifest), (SIGNATURE, signature), *members])


def _row(name: str, content: bytes) -> dict[str, Any]:
    entry = Entry.of(name, content)
    sha256 = hashlib.sha256(content).hexdigest()
    return {"name": name, "size": entry.size, "crc32": entry.crc32, "sha256": sha256}
