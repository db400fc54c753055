"""The installation's Ed25519 key: what it signs can be checked elsewhere with its public key.

The private key is a file that only this application's user may read (``CSRO_SIGNING_KEY_FILE``,
else ``signing-key.pem`` in the data directory, made at the first use). It is never in the
database. Web and workers of one installation need the same one.
"""

from __future__ import annotations

import stat
from functools import lru_cache
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from csro_web.bundles.ed25519 import fingerprint, is_signed
from csro_web.environment import write_once

__all__ = ["fingerprint", "is_signed", "key_file", "public_key", "sign"]


def sign(message: bytes) -> bytes:
    """64 bytes; the same for the same message (RFC 8032).

    Raises:
        ImproperlyConfigured: when the key cannot be read or made; the message says what to do.
    """
    return _private_key(str(key_file())).sign(message)


def public_key() -> bytes:
    """The 32 bytes that check what this installation signs."""
    raw: bytes = (
        _private_key(str(key_file())).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    )
    return raw


def key_file() -> Path:
    return Path(settings.SIGNING_KEY_FILE)


@lru_cache(maxsize=4)
def _private_key(path: str) -> Ed25519PrivateKey:
    file = Path(path)
    try:
        if not file.exists():
            _make(file)
        mode = stat.S_IMODE(file.stat().st_mode)
        content = file.read_bytes()
    except OSError as error:
        raise ImproperlyConfigured(
            f"cannot keep the signing key in {path} ({error.strerror}): make room or permission "
            "there, or name another file in CSRO_SIGNING_KEY_FILE"
        ) from error
    if mode & 0o077:
        raise ImproperlyConfigured(
            f"others may read the signing key {path} (mode {mode:o}): run chmod 600 on it, and "
            "make a new one if somebody could have copied it"
        )
    try:
        key = load_pem_private_key(content, password=None)
    except (ValueError, TypeError) as error:
        raise ImproperlyConfigured(
            f"{path} holds no private key in PEM: name another file in CSRO_SIGNING_KEY_FILE, or "
            "remove it to have one made"
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise ImproperlyConfigured(f"the key in {path} is no Ed25519 key")
    return key


def _make(file: Path) -> None:
    """Complete from its first moment; of two processes that make it, the first one's stays."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    key = Ed25519PrivateKey.generate()
    content = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_once(file, content)
