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
from django.db.models import Case, QuerySet, When
from django.utils import timezone

from csro_web.accounts.models import ApiToken, Scope, User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record

DEFAULT_DAYS = 90
MOST_DAYS = 365
MOST_USABLE = 20
"""Tokens of one person that can be used at the same time: more could not be overlooked."""
USED_SECONDS = 60
TOKEN = re.compile(r"csro_([0-9a-f]{12})_[0-9a-f]{64}")


class TokenRefused(Exception):
    """No token was made; the message says why and what would do."""


def make(
    *, person: User, name: str, scopes: Collection[Scope], days: int = DEFAULT_DAYS
) -> tuple[ApiToken, str]:
    """A new token of the person, and its text, which nobody can read again.

    Raises:
        ValueError: for no scope, or days outside 1 to 365.
        TokenRefused: when the person has as many as one can have, or was switched off or given
            another password since ``person`` was read.
    """
    if not scopes or not 1 <= days <= MOST_DAYS:
        raise ValueError(f"a token needs a scope and 1 to {MOST_DAYS} days")
    key = secrets.token_hex(6)
    text = f"csro_{key}_{secrets.token_hex(32)}"
    with transaction.atomic():
        _hold_still(person)
        if usable(person).count() >= MOST_USABLE:
            raise TokenRefused(f"you have {MOST_USABLE} usable tokens: revoke one first")
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


def _hold_still(person: User) -> None:
    """Keep the person's row as it was read. A token that somebody asks for while an administrator
    takes the account away from them would otherwise be made a moment after all were revoked."""
    row = User.objects.select_for_update(no_key=True).filter(pk=person.pk, is_active=True)
    if not row.filter(password=person.password).values("pk"):
        raise TokenRefused("this account was changed a moment ago: sign in again")


def usable(person: User) -> QuerySet[ApiToken]:
    return person.tokens.filter(revoked_at=None, expires_at__gt=timezone.now())


def revoke_all(person: User, *, actor: User | None, why: str) -> int:
    """Revoke what is usable, as one event of the trail; how many there were."""
    with transaction.atomic():
        found = list(usable(person))
        person.tokens.filter(revoked_at=None).update(revoked_at=timezone.now())
        if found:
            detail = {"tokens": [str(token) for token in found], "why": why}
            record(Action.TOKEN_REVOKED, actor=actor, subject=person, detail=detail)
    return len(found)


def newest(person: User, most: int) -> list[ApiToken]:
    """Those that can be used first: none of them hides behind others."""
    now = timezone.now()
    over = Case(When(revoked_at=None, expires_at__gt=now, then=0), default=1)
    return list(person.tokens.order_by(over, "-created_at", "-id")[:most])


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
