"""Where a request comes from."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

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


def where_from(request: HttpRequest) -> str | None:
    """What failed sign-ins are counted by: the address, or the /64 network of an IPv6 one.

    Such a network is what one household or machine is given; it has more addresses than anybody
    could lock out one by one.
    """
    address = client_address(request)
    if address is None or ":" not in address:
        return address
    return str(IPv6Network((address, 64), strict=False).network_address)


def _valid(text: str) -> str | None:
    try:
        return str(_plain(ip_address(text.strip())))
    except ValueError:
        return None


def _plain(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Without the zone of this machine (``%eth0``), which PostgreSQL's addresses do not have; an
    IPv4 address as itself where a socket for both kinds has wrapped it."""
    if isinstance(address, IPv4Address):
        return address
    return address.ipv4_mapped or IPv6Address(int(address))
