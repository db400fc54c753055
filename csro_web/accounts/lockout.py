"""What happens after too many failed sign-ins, and how it ends.

django-axes counts failures by name and address together. So a stranger who guesses locks out the
name at his own address alone, while its owner signs in from elsewhere; tries during a lockout do
not prolong it. Names that nobody has are locked just the same, so that nothing tells them apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from axes.helpers import get_client_username
from axes.models import AccessAttempt
from axes.signals import user_locked_out
from axes.utils import reset
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from csro_web.accounts.addresses import client_address, where_from
from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record


def locked_out_page(
    request: HttpRequest,
    response: HttpResponse | None = None,
    credentials: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """Says when the next try is possible, and who can help sooner."""
    name = get_client_username(request, credentials)
    tried = AccessAttempt.objects.filter(username=name, ip_address=where_from(request))
    last = tried.order_by("-attempt_time").values_list("attempt_time", flat=True).first()
    ends = (last or timezone.now()) + settings.AXES_COOLOFF_TIME
    seconds = max(1, math.ceil((ends - timezone.now()).total_seconds()))
    context = {"ends": ends, "minutes": math.ceil(seconds / 60)}
    answer = render(request, "accounts/locked_out.html", context, status=429)
    answer["Retry-After"] = str(seconds)
    return answer


def connect() -> None:
    user_locked_out.connect(_locked_out, dispatch_uid="accounts.locked_out")


def _locked_out(
    sender: object, request: HttpRequest, username: str | None = None, **_: Any
) -> None:
    """Recorded once for each lockout: a try that was refused unheard changes nothing."""
    if is_refused_unheard(request):
        return
    subject = User.objects.filter(username=username).first()
    with transaction.atomic():
        detail = {"address": client_address(request)}
        record(Action.LOCKED_OUT, actor=None, subject=subject, detail=detail)


def is_refused_unheard(request: HttpRequest | None) -> bool:
    """Whether this try came during a lockout, so that its password was not even looked at."""
    locked = getattr(request, "axes_locked_out", False)
    return bool(locked and getattr(request, "axes_failures_since_start", None) is None)


def locked_addresses(person: User) -> list[str]:
    """From where the person's name cannot sign in at present."""
    since = timezone.now() - settings.AXES_COOLOFF_TIME
    failed = AccessAttempt.objects.filter(
        username=person.get_username(), attempt_time__gt=since
    ).values_list("ip_address", "failures_since_start")
    counts: dict[str, int] = {}
    for address, failures in failed:
        counts[str(address)] = counts.get(str(address), 0) + failures
    return [
        address for address, failures in counts.items() if failures >= settings.AXES_FAILURE_LIMIT
    ]


def unlock(person: User, *, actor: User) -> int:
    """Forget the failures of this name, from everywhere; how many records there were."""
    with transaction.atomic():
        forgotten = reset(username=person.get_username())
        record(Action.UNLOCKED, actor=actor, subject=person)
    return forgotten
