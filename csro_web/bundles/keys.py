"""The public keys of an installation, and when each was in force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Self

from csro_web.bundles.ed25519 import fingerprint

CLOCKS_DIFFER = timedelta(minutes=5)
"""By which what was signed may lie outside of its key's time: it is dated by another clock."""


@dataclass(frozen=True)
class SigningKey:
    """``since``: None where nobody wrote it down, for a first key. ``until``: None while it is in
    force. Both are aware."""

    public_key: bytes
    since: datetime | None
    until: datetime | None

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.public_key)

    def was_in_force(self, at: datetime) -> bool:
        return (self.since is None or self.since - CLOCKS_DIFFER <= at) and (
            self.until is None or at <= self.until + CLOCKS_DIFFER
        )

    def row(self) -> dict[str, str | None]:
        """As manifests and files have it; :meth:`from_row` is its inverse."""
        return {
            "public_key": self.public_key.hex(),
            "since": None if self.since is None else self.since.isoformat(),
            "until": None if self.until is None else self.until.isoformat(),
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Raises ValueError, TypeError or KeyError when it is no such row."""
        key = bytes.fromhex(row["public_key"])
        if len(key) != 32:
            raise ValueError("a public key has 32 bytes")
        return cls(key, _moment(row["since"]), _moment(row["until"]))


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError(f"{text} names no time zone")
    return found


def wrong_with(keys: Sequence[SigningKey], signer: bytes) -> Iterator[str]:
    """What cannot be true of a list, oldest first, whose last key signed it."""
    if not keys or keys[-1].public_key != signer or keys[-1].until is not None:
        yield "the last of them is not the key in force that signed the bundle"
    if len({key.public_key for key in keys}) != len(keys):
        yield "a key is listed twice"
    for before, after in pairwise(keys):
        if before.until is None or after.since != before.until:
            yield f"the key {after.fingerprint} does not follow when {before.fingerprint} ends"
        elif before.since is not None and before.since > before.until:
            yield f"the key {before.fingerprint} ends before it begins"
