"""Reads the environment for :mod:`csro_web.settings`; errors name the variable to correct."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

TRUE = {"1", "true", "yes", "on"}
FALSE = {"", "0", "false", "no", "off"}


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool = False) -> bool:
    value = os.environ.get(name)
    if value is None:
        return default
    if value.strip().lower() in TRUE:
        return True
    if value.strip().lower() in FALSE:
        return False
    raise ImproperlyConfigured(f"{name} is {value!r}; it must be 1 or 0")


def number(name: str, default: float, *, low: float, high: float) -> float:
    value = text(name)
    try:
        found = float(value) if value else default
    except ValueError:
        found = float("nan")
    if not low <= found <= high:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must lie between {low:g} and {high:g}")
    return found


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def words(name: str) -> list[str]:
    """A list that commas separate."""
    return [word.strip() for word in text(name).split(",") if word.strip()]


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = text(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
    return value


def make_directory(path: Path) -> Path:
    """The directory, made for this user alone if it is not there.

    Raises:
        ImproperlyConfigured: when it cannot be made.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(
            f"cannot make the directory {path} ({error.strerror}): make room or permission there, "
            "or name another place in CSRO_DATA_DIR"
        ) from error
    return path


def secret_key(directory: Path, *, production: bool) -> str:
    """Django's secret key: CSRO_SECRET_KEY, else one that this machine made for itself.

    Its file is complete from the first moment (linked into place), readable by this user alone,
    and two processes that start at once agree on it.
    """
    given = text("CSRO_SECRET_KEY")
    if given:
        return given
    if production:
        raise ImproperlyConfigured(
            "CSRO_PRODUCTION needs CSRO_SECRET_KEY, the same for every process: at least 50 random "
            "characters"
        )
    path = make_directory(directory) / "secret-key"
    try:
        if not path.exists():
            write_once(path, secrets.token_urlsafe(64).encode("ascii") + b"\n")
        found = path.read_text(encoding="ascii").strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"cannot keep the secret key in {path} ({error.strerror}): make room or permission "
            "there, or name another place in CSRO_DATA_DIR"
        ) from error
    if len(found) < 50:
        raise ImproperlyConfigured(f"{path} holds no usable key: remove it and start again")
    return found


def write_once(path: Path, content: bytes) -> None:
    """A file of secrets, complete from its first moment and readable by this user alone.

    Of two processes that write it at once, the first one's stays.
    """
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)  # mode 600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, path)
        except FileExistsError:
            return  # another process was first; its key is the one
    finally:
        os.unlink(temporary)
