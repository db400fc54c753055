"""Sessions as their owner sees them, and ending them."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.contrib.sessions.models import Session
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from csro_web.accounts.addresses import client_address
from csro_web.accounts.models import SignedIn, User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from oracles.text import storable

SEEN_SECONDS = 60
MOST_KNOWN = 10_000
Answer = Callable[[HttpRequest], HttpResponseBase]


class SignedInMiddleware:
    """Notes when and from where each session was last used: at most once a minute a process."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response
        self._noted: dict[str, float] = {}

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        key = request.session.session_key
        if key and request.user.is_authenticated and self._is_due(key):
            note(request, key)
        return response

    def _is_due(self, key: str) -> bool:
        now = time.monotonic()
        if now - self._noted.get(key, float("-inf")) < SEEN_SECONDS:
            return False
        if len(self._noted) >= MOST_KNOWN:
            self._noted.clear()
        self._noted[key] = now
        return True


def note(request: HttpRequest, key: str) -> None:
    """Write down that the session ``key`` is in use; nothing if it has ended meanwhile."""
    seen = {
        "person": request.user,
        "address": client_address(request),
        "agent": storable(request.META.get("HTTP_USER_AGENT", ""))[:300],
        "last_seen": timezone.now(),
    }
    if SignedIn.objects.filter(session_id=key).update(**seen):
        return
    if not Session.objects.filter(pk=key).exists():
        return
    try:
        with transaction.atomic():
            SignedIn.objects.create(session_id=key, **seen)
    except IntegrityError:  # it ended, or another request of it was first, between the two
        return


def of(person: User) -> QuerySet[SignedIn]:
    """Sessions that are still good, newest use first."""
    return person.sessions.filter(session__expire_date__gt=timezone.now())


def end(sessions: QuerySet[SignedIn], *, actor: User | None, person: User, why: str) -> int:
    """End sessions of ``person`` at once; how many there were."""
    with transaction.atomic():
        keys = list(sessions.values_list("session_id", flat=True))
        Session.objects.filter(pk__in=keys).delete()
        if keys:
            detail = {"sessions": len(keys), "why": why}
            record(Action.SESSION_REVOKED, actor=actor, subject=person, detail=detail)
    return len(keys)


DEVICES = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
    ("Mac OS X", "Mac"), ("CrOS", "Chromebook"), ("Linux", "Linux"),
)  # fmt: skip
BROWSERS = (
    ("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"),
    ("Safari/", "Safari"), ("curl/", "curl"),
)  # fmt: skip


def device(agent: str) -> str:
    """A browser and its machine in two words, as far as it tells the truth."""
    browser = next((name for mark, name in BROWSERS if mark in agent), "")
    machine = next((name for mark, name in DEVICES if mark in agent), "")
    return " on ".join(filter(None, (browser, machine))) or "unknown device"
