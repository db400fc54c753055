"""Giving out and changing passwords, and what ends with the old one.

A password is replaced because it was forgotten, because it is time, or because somebody else had
it. Whoever had it may have made a token, and a token outlives the password. So both end together,
unless the person who changes an own password says that tokens stay.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.contrib.auth.hashers import make_password
from django.db import transaction

from csro_web.accounts import sessions, tokens
from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record


class PasswordOvertaken(Exception):
    """The password was replaced by somebody else a moment ago; nothing was changed."""


@dataclass(frozen=True)
class Ended:
    """How many sessions and tokens have no force any more."""

    sessions: int
    tokens: int

    def __str__(self) -> str:
        return f"{_some(self.sessions, 'session')} ended, {_some(self.tokens, 'token')} revoked"


def one_time_password() -> str:
    """16 characters of 96 random bits; it must be changed when it is used."""
    return secrets.token_urlsafe(12)


def give_out(person: User, *, actor: User) -> tuple[str, Ended]:
    """A one-time password in place of theirs; their sessions and tokens end."""
    password = one_time_password()
    with transaction.atomic():
        person.set_password(password)
        person.must_change_password = True
        person.save(update_fields=["password", "must_change_password"])
        ended = end_access(person, actor=actor, why="new password")
        record(Action.PASSWORD_CHANGED, actor=actor, subject=person, detail={"by": "administrator"})
    return password, ended


def change_own(person: User, password: str, *, session: str, keep_tokens: bool) -> Ended:
    """A new password that the person chose in the session of that key, which goes on.

    Raises:
        PasswordOvertaken: when it is not the one any more that ``person`` was read with.
    """
    new = make_password(password)
    mine = User.objects.filter(pk=person.pk, password=person.password, is_active=True)
    with transaction.atomic():
        if not mine.update(password=new, must_change_password=False):
            raise PasswordOvertaken
        person.password, person.must_change_password = new, False
        ended = end_access(
            person, actor=person, why="new password", but=session, keep_tokens=keep_tokens
        )
        detail = {"tokens": "kept" if keep_tokens else "revoked"}
        record(Action.PASSWORD_CHANGED, actor=person, subject=person, detail=detail)
    return ended


def end_access(
    person: User, *, actor: User | None, why: str, but: str | None = None, keep_tokens: bool = False
) -> Ended:
    """End the sessions of the person, except the one of the key ``but``, and revoke the tokens.

    Call it after the write that shuts the door, so that nothing new comes in behind it.
    """
    revoked = 0 if keep_tokens else tokens.revoke_all(person, actor=actor, why=why)
    open_ones = person.sessions.exclude(session_id=but) if but else person.sessions.all()
    return Ended(sessions.end(open_ones, actor=actor, person=person, why=why), revoked)


def _some(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
