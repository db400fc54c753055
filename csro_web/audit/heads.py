"""Signed heads: what the trail was at a moment, in a form that can be kept where nobody can
change it together with the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from csro_web import signing
from csro_web.audit.chain import canonical, moment
from csro_web.audit.models import ChainHead

KIND = "csro-audit-head"


class HeadError(ValueError):
    """Not a signed head, or not signed by the key that it should be; the message says which."""


@dataclass(frozen=True)
class Head:
    """A head whose signature was checked."""

    sequence: int
    hash: str
    at: str
    public_key: bytes


def signed_head() -> dict[str, Any]:
    """The trail's newest row now: ``sequence``, ``hash``, ``at`` (ISO 8601, UTC), and the Ed25519
    ``public_key`` and ``signature`` in hex. Sequence 0 is the empty trail.

    Raises:
        ImproperlyConfigured: when the installation's key cannot be read.
    """
    head, signer = ChainHead.objects.get(pk=1), signing.signer()
    said = {
        "kind": KIND,
        "sequence": head.sequence,
        "hash": head.hash,
        "at": moment(timezone.now()),
        "public_key": signer.public_key.hex(),
    }
    return {**said, "signature": signer.sign(canonical(said)).hex()}


def checked_head(data: Any, *, key: bytes | None = None) -> Head:
    """The head in ``data``, signed by ``key`` (32 bytes), or by the key that it names itself.

    Raises:
        HeadError: when it is no head, or its signature does not fit.
    """
    if not isinstance(data, Mapping) or data.get("kind") != KIND:
        raise HeadError("this is no signed head of an audit trail")
    said = {name: value for name, value in data.items() if name != "signature"}
    try:
        head = Head(
            sequence=_whole(said["sequence"]),
            hash=str(said["hash"]),
            at=str(said["at"]),
            public_key=bytes.fromhex(said["public_key"]),
        )
        signature = bytes.fromhex(data["signature"])
    except (KeyError, TypeError, ValueError) as error:
        raise HeadError("this signed head is incomplete or damaged") from error
    if key is not None and head.public_key != key:
        raise HeadError(
            f"the head is signed by the key {signing.fingerprint(head.public_key)}, "
            f"not by {signing.fingerprint(key)}"
        )
    if not signing.is_signed(head.public_key, canonical(said), signature):
        raise HeadError("the signature of the head does not fit: it was changed")
    return head


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("no sequence")
    return value
