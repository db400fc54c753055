"""A bundle as data, for whoever imports or replays it. Nothing of it is run here."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from csro_web.bundles.archive import regions
from csro_web.bundles.ed25519 import fingerprint
from csro_web.bundles.verifying import examine


class BundleError(ValueError):
    """The bytes are no intact bundle; the message says what was changed."""


@dataclass(frozen=True)
class BundledPolicy:
    """A program of a bundle."""

    index: int
    """Its row in the payoff matrix of the run that it comes from."""
    name: str
    """As its run calls it: written by people and models, so to be shown as inert text."""
    origin: str
    source: str
    sha256: str
    member: str
    """Where it stands in the archive."""
    approved: bool


@dataclass(frozen=True)
class Bundle:
    """An intact bundle."""

    manifest: Mapping[str, Any]
    policies: tuple[BundledPolicy, ...]
    """Those that its package holds."""
    evidence: tuple[BundledPolicy, ...]
    """Programs that are no part of the package: opponents of its results."""
    members: Mapping[str, bytes]
    """Contents of all members but the manifest and the signature."""
    public_key: bytes
    trusted: bool | None
    """Whether a key that the reader knows signed it; None when the reader named no key."""

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.public_key)

    @property
    def is_draft(self) -> bool:
        return bool(self.manifest["draft"])


def read_bundle(data: bytes, *, keys: Sequence[bytes] = ()) -> Bundle:
    """The bundle in ``data``, every byte of which was compared with its signed manifest.

    ``keys`` are public keys (32 bytes each) of those who are believed. A bundle that somebody else
    signed is read too: see ``trusted``.

    Raises:
        BundleError: when anything was changed, or the manifest lacks what a reader needs.
    """
    examination = examine(data)
    envelope = examination.envelope
    if envelope is None or not examination.intact:
        raise BundleError("; ".join(str(finding) for finding in examination.findings))
    members = {
        region.member: data[region.start : region.stop]
        for region in regions(envelope.entries)[: 2 * len(envelope.entries)]
        if region.member is not None
    }
    others = {member.entry.name: members[member.entry.name] for member in envelope.members}
    try:
        policies, evidence = _policies(envelope.manifest, others)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BundleError(f"member manifest.json: it cannot be used ({error!r})") from error
    return Bundle(
        manifest=envelope.manifest,
        policies=policies,
        evidence=evidence,
        members=others,
        public_key=envelope.public_key,
        trusted=envelope.public_key in keys if keys else None,
    )


def _policies(
    manifest: Mapping[str, Any], members: Mapping[str, bytes]
) -> tuple[tuple[BundledPolicy, ...], tuple[BundledPolicy, ...]]:
    packed: list[BundledPolicy] = []
    evidence: list[BundledPolicy] = []
    if not isinstance(manifest["draft"], bool):
        raise TypeError("draft is neither true nor false")
    for row in manifest["population"]:
        if row["member"] is None:
            continue
        content = members[row["member"]]
        if hashlib.sha256(content).hexdigest() != row["sha256"]:
            raise ValueError(f"{row['member']} is not the program that the population lists")
        policy = BundledPolicy(
            index=int(row["index"]),
            name=str(row["name"]),
            origin=str(row["origin"]),
            source=content.decode("utf-8"),
            sha256=str(row["sha256"]),
            member=str(row["member"]),
            approved=row["approved"] is True,
        )
        (packed if row["included"] is True else evidence).append(policy)
    return tuple(packed), tuple(evidence)
