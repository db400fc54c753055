"""Checking Ed25519 signatures (RFC 8032), without settings, database or key of one's own."""

from __future__ import annotations

import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def fingerprint(public: bytes) -> str:
    """What people compare by eye: the first 16 hex digits of the key's SHA-256."""
    return hashlib.sha256(public).hexdigest()[:16]


def is_signed(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the holder of the private key of ``public`` (32 bytes) signed the message."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
