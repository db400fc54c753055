"""Tokens of the API: made, read, used and revoked.

A token is ``csro_`` with twelve hex digits that name its row, and 64 that are the secret (256
random bits, so that a plain SHA-256 is enough to keep: there is nothing to guess).
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Collection
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from csro_web.accounts.models import ApiToken, Scope, User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record

DEFAULT_DAYS = 90
MOST_DAYS = 365
USED_SECONDS = 60
TOKEN = re.compile(r"csro_([0-9a-f]{12})_[0-9a-f]{64}")


def make(
    *, person: User, name: str, scopes: Collection[Scope], days: int = DEFAULT_DAYS
) -> tuple[ApiToken, str]:
    """A new token of the person, and its text, which nobody can read again.

    Raises:
        ValueError: for no scope, or days outside 1 to 365.
    """
    if not scopes or not 1 <= days <= MOST_DAYS:
        raise ValueError(f"a token needs a scope and 1 to {MOST_DAYS} days")
    key = secrets.token_hex(6)
    text = f"csro_{key}_{secrets.token_hex(32)}"
    with transaction.atomic():
        token = ApiToken(
            person=person,
            name=name,
            key=key,
            digest=_digest(text),
            scopes=sorted(str(scope) for scope in scopes),
            expires_at=timezone.now() + timedelta(days=days),
        )
        token.full_clean()
        token.save()
        detail = {"scopes": token.scopes, "days": days}
        record(Action.TOKEN_MADE, actor=person, subject=token, detail=detail)
    return token, text


def revoke(token: ApiToken, *, actor: User) -> bool:
    """False when it was revoked before."""
    with transaction.atomic():
        mine = ApiToken.objects.filter(pk=token.pk, revoked_at=None)
        if not mine.update(revoked_at=timezone.now()):
            return False
        record(Action.TOKEN_REVOKED, actor=actor, subject=token)
    return True


def find(text: str) -> ApiToken | None:
    """The token of this text if it can be used now, and its person may sign in."""
    shape = TOKEN.fullmatch(text)
    if shape is None:
        return None
    token = ApiToken.objects.select_related("person").filter(key=shape[1]).first()
    same = hmac.compare_digest(_digest(text), token.digest if token else "0" * 64)
    if token is None or not same or not token.is_usable:
        return None
    if not token.person.is_active or token.person.must_change_password:
        return None
    _note_use(token)
    return token


def _note_use(token: ApiToken) -> None:
    """At most once a minute: reading must not become writing."""
    now = timezone.now()
    if token.last_used is None or (now - token.last_used).total_seconds() > USED_SECONDS:
        ApiToken.objects.filter(pk=token.pk).update(last_used=now)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
