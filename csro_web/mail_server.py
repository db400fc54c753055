"""Which mail server letters are handed to, read from one address."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

_PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
_FORM = "CSRO_EMAIL_URL must be smtp://HOST:PORT, smtp+starttls://USER@HOST or smtps://USER@HOST"


@dataclass(frozen=True)
class MailServer:
    """``starttls`` begins in clear and turns to TLS before anything is said; ``tls`` is TLS from
    the first byte."""

    host: str
    port: int
    user: str = ""
    password: str = ""
    starttls: bool = False
    tls: bool = False


def mail_server(address: str, *, password: str = "") -> MailServer | None:
    """The server of ``CSRO_EMAIL_URL``; None, when it is empty, sends nothing.

    The password stands in the address, or better in a variable of its own. No message of an error
    quotes the address, which may hold it.

    Raises:
        ImproperlyConfigured: when it is no such address, or would send a password in clear.
    """
    if not address:
        return None
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise ImproperlyConfigured(_FORM) from error
    if parts.scheme not in _PORTS or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ImproperlyConfigured(_FORM)
    found = MailServer(
        host=parts.hostname,
        port=port or _PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=password or unquote(parts.password or ""),
        starttls=parts.scheme == "smtp+starttls",
        tls=parts.scheme == "smtps",
    )
    if found.user and not (found.starttls or found.tls or _is_here(found.host)):
        raise ImproperlyConfigured(
            "CSRO_EMAIL_URL would send a password in clear: write smtp+starttls:// or smtps://"
        )
    return found


def base_address(text: str) -> str:
    """``CSRO_BASE_URL`` without its last slash; empty when it is not set.

    Raises:
        ImproperlyConfigured: when it is not the address of a site.
    """
    if not text:
        return ""
    try:
        parts: SplitResult = urlsplit(text)
        fine = parts.scheme in ("http", "https") and parts.hostname and not parts.username
    except ValueError:
        fine = False
    if not fine or parts.query or parts.fragment or any(c.isspace() for c in text):
        raise ImproperlyConfigured(
            "CSRO_BASE_URL must be the address of this site, such as https://csro.example.org"
        )
    return text.rstrip("/")


def _is_here(host: str) -> bool:
    return host in ("localhost", "127.0.0.1", "::1")
