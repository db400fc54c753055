"""Signing in and out, as Django tells of it; Django writes the session itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db import transaction
from django.http import HttpRequest

from csro_web.accounts.addresses import client_address
from csro_web.accounts.lockout import is_refused_unheard
from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from oracles.text import storable


def connect() -> None:
    user_logged_in.connect(_signed_in, dispatch_uid="audit.signed_in")
    user_logged_out.connect(_signed_out, dispatch_uid="audit.signed_out")
    user_login_failed.connect(_failed, dispatch_uid="audit.sign_in_failed")


def _signed_in(sender: object, request: HttpRequest | None, user: User, **_: Any) -> None:
    _record(Action.SIGNED_IN, actor=user, subject=user, request=request)


def _signed_out(sender: object, request: HttpRequest | None, user: User | None, **_: Any) -> None:
    if user is not None:
        _record(Action.SIGNED_OUT, actor=user, subject=user, request=request)


def _failed(
    sender: object, credentials: Mapping[str, Any], request: HttpRequest | None = None, **_: Any
) -> None:
    """A name that nobody has is not kept: people type their password into the wrong field.

    Tries during a lockout are refused unheard and leave no mark, or strangers could fill the trail.
    """
    if is_refused_unheard(request):
        return
    tried = storable(str(credentials.get(User.USERNAME_FIELD, "")))
    subject = User.objects.filter(username=tried).first()
    inside = getattr(request, "user", None)
    more = {"where": "in a session"} if inside is not None and inside.is_authenticated else {}
    _record(Action.SIGN_IN_FAILED, actor=None, subject=subject, request=request, more=more)


def _record(
    action: Action,
    *,
    actor: User | None,
    subject: User | None,
    request: HttpRequest | None,
    more: Mapping[str, str] | None = None,
) -> None:
    address = None if request is None else client_address(request)
    detail = {**({"address": address} if address else {}), **(more or {})}
    with transaction.atomic():
        record(action, actor=actor, subject=subject, detail=detail)
