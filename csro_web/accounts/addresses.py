"""Where a request comes from."""

from __future__ import annotations

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str | None:
    """The address of who sent the request; None where there is none (a socket file).

    Behind a proxy it is the last one in ``X-Forwarded-For``, which the proxy itself has added; what
    stands before it is the sender's word. Without ``CSRO_BEHIND_PROXY`` the header is never read,
    for then anybody could write it.
    """
    direct = _valid(request.META.get("REMOTE_ADDR", ""))
    if not settings.BEHIND_PROXY:
        return direct
    return _valid(request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2]) or direct


def _valid(text: str) -> str | None:
    try:
        return str(ip_address(text.strip()))
    except ValueError:
        return None
