"""The installation's Ed25519 key: what it signs can be checked elsewhere with its public key.

The private key is a file that only this application's user may read (``CSRO_SIGNING_KEY_FILE``,
else ``signing-key.pem`` in the data directory, made at the first use). It is never in the
database. Web and workers of one installation need the same one, and take up another one at once.

Beside it, ``former-signing-keys`` holds a file for each public key that was replaced
(:func:`rotate`), written once: what was proved with it stays checkable.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
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

from csro_web.bundles import canonical
from csro_web.bundles.ed25519 import fingerprint, is_signed
from csro_web.bundles.keys import SigningKey
from csro_web.bundles.writing import Signer
from csro_web.environment import write_once

__all__ = [
    "add_former",
    "fingerprint",
    "is_signed",
    "key_file",
    "known_keys",
    "public_key",
    "rotate",
    "sign",
    "signer",
    "signer_and_keys",
]


def signer() -> Signer:
    """Public key and signature of the same key, though another may replace it meanwhile.

    Raises:
        ImproperlyConfigured: when the key cannot be read or made; the message says what to do.
    """
    key = _private_key()
    return Signer(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw), key.sign)


def sign(message: bytes) -> bytes:
    """64 bytes; the same for the same message (RFC 8032). Raises as :func:`signer`."""
    return signer().sign(message)


def public_key() -> bytes:
    """The 32 bytes that check what this installation signs."""
    return signer().public_key


def signer_and_keys() -> tuple[Signer, list[SigningKey]]:
    """Both of one moment, for what names the keys and is signed with the last of them."""
    while True:
        own, known = signer(), known_keys()
        if known[-1].public_key == own.public_key:
            return own, known


def known_keys() -> list[SigningKey]:
    """All that this installation has signed with, oldest first; the last one is in force.

    Raises:
        ImproperlyConfigured: as :func:`signer`, or when the file of a former key is damaged.
    """
    current = public_key()
    former = [key for key in _former() if key.public_key != current]
    since = former[-1].until if former else None
    return [*former, SigningKey(current, since, None)]


def rotate(now: datetime) -> SigningKey:
    """Replace the key by a new one, and keep the public part of the old one; the new one.

    What breaks off in between is finished by the next attempt, and changes nothing before.

    Raises:
        ImproperlyConfigured: when the files cannot be written; the key stays as it was.
    """
    file = key_file()
    with _writing(file), _alone(file):
        old = known_keys()[-1]
        fresh = file.with_name(file.name + ".next")
        if not fresh.exists():
            _make(fresh)
        _keep_former(SigningKey(old.public_key, old.since, now))
        os.replace(fresh, file)
        return known_keys()[-1]


def add_former(public: bytes, *, until: datetime) -> SigningKey:
    """Note a key that was replaced by hand, as the newest of the former ones.

    Raises:
        ValueError: when it is in force or noted already, or ended before another one did.
        ImproperlyConfigured: when its file cannot be written.
    """
    file = key_file()
    with _writing(file), _alone(file):
        known = known_keys()
        if public in {key.public_key for key in known}:
            raise ValueError("this key is known already: ./csro manage signing_key lists them")
        since = known[-1].since
        if since is not None and until < since:
            raise ValueError(f"the key before it was in force until {since.isoformat()}")
        found = SigningKey(public, since, until)
        _keep_former(found)
    return found


def _keep_former(key: SigningKey) -> None:
    """A file that is there is left, but for that of a rotation which broke off before its end."""
    directory = key_file().parent / "former-signing-keys"
    directory.mkdir(mode=0o700, exist_ok=True)
    file = directory / f"{fingerprint(key.public_key)}.json"
    file.unlink(missing_ok=True)
    write_once(file, canonical.dump(key.row()))


def _former() -> list[SigningKey]:
    """In the order in which they were replaced."""
    found = []
    for file in sorted((key_file().parent / "former-signing-keys").glob("*.json")):
        try:
            key = SigningKey.from_row(json.loads(file.read_bytes()))
            if key.until is None or fingerprint(key.public_key) != file.stem:
                raise ValueError("not of a key that was replaced")
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise ImproperlyConfigured(
                f"{file} is damaged ({error}): bring it back from a backup, or remove it and note "
                "the key again with ./csro manage signing_key --former"
            ) from error
        found.append((key.until, key))
    return [key for _, key in sorted(found, key=lambda one: one[0])]


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """One process at a time."""
    with file.with_name(file.name + ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _writing(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ImproperlyConfigured(
            f"cannot write beside {file} ({error.strerror}): make room or permission there. Where "
            "the key comes from elsewhere, replace it there and note the old one with "
            "./csro manage signing_key --former"
        ) from error


def key_file() -> Path:
    return Path(settings.SIGNING_KEY_FILE)


def _private_key() -> Ed25519PrivateKey:
    file = key_file()
    try:
        if not file.exists():
            _make(file)
        found = file.stat()
        return _read(str(file), found.st_ino, found.st_mtime_ns)
    except OSError as error:
        raise ImproperlyConfigured(
            f"cannot keep the signing key in {file} ({error.strerror}): make room or permission "
            "there, or name another file in CSRO_SIGNING_KEY_FILE"
        ) from error


@lru_cache(maxsize=4)
def _read(path: str, _inode: int, _changed: int) -> Ed25519PrivateKey:
    """Remembered until the file is another one."""
    file = Path(path)
    mode = stat.S_IMODE(file.stat().st_mode)
    content = file.read_bytes()
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
