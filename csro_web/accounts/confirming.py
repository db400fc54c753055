"""The password once more, from somebody who is signed in, before what outlives a session.

A stolen session must not become a way to guess the password. A wrong one counts towards the lockout
of the sign-in page (:mod:`csro_web.accounts.lockout`), and besides, from wherever they come, a
session has as many tries as a name has there. Then it ends.
"""

from __future__ import annotations

from axes.utils import reset
from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.models import AnonymousUser
from django.db.models import F, QuerySet
from django.http import HttpRequest

from csro_web.accounts import sessions
from csro_web.accounts.addresses import where_from
from csro_web.accounts.lockout import is_refused_unheard
from csro_web.accounts.models import SignedIn, User


class SessionEnded(Exception):
    """Too many wrong passwords: who sent the request is not signed in any more."""


def is_right(request: HttpRequest, password: str) -> bool:
    """Whether it is the password of who is signed in. Each try is taken before it is looked at, so
    that many at the same time are no more than one after the other.

    Raises:
        SessionEnded: when this was the last try of the session, and wrong.
    """
    person = request.user
    tries = _tries(request)
    if not tries.filter(wrong_passwords__lt=settings.AXES_FAILURE_LIMIT).update(
        wrong_passwords=F("wrong_passwords") + 1
    ):
        raise _ended(request, person)
    found = authenticate(request, username=person.get_username(), password=password)
    if found is not None and found.pk == person.pk:
        tries.update(wrong_passwords=0)
        reset(username=person.get_username(), ip=where_from(request))
        person.password = found.password  # it may have been hashed anew just now
        return True
    if is_refused_unheard(request):
        tries.update(wrong_passwords=F("wrong_passwords") - 1)
    elif not tries.filter(wrong_passwords__lt=settings.AXES_FAILURE_LIMIT).exists():
        raise _ended(request, person)
    return False


def _tries(request: HttpRequest) -> QuerySet[SignedIn]:
    key = request.session.session_key
    found = SignedIn.objects.filter(session_id=key)
    if not found.exists():
        sessions.note(request, key)
    return found


def _ended(request: HttpRequest, person: User) -> SessionEnded:
    mine = person.sessions.filter(session_id=request.session.session_key)
    sessions.end(mine, actor=None, person=person, why="too many wrong passwords")
    request.session.flush()
    request.user = AnonymousUser()
    return SessionEnded()
