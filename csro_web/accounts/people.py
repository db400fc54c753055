"""What administrators do to people. Somebody always stays who can do it."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Exists

from csro_web.accounts import emails, passwords
from csro_web.accounts.administrators import ADMINISTRATORS, one_at_a_time
from csro_web.accounts.models import Role, Team, User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record


class PeopleError(Exception):
    """It cannot be done; the message says why and what would do."""


def add(
    *, username: str, email: str, role: Role, teams: Iterable[Team], actor: User
) -> tuple[User, str]:
    """A new person, and the one-time password to hand over.

    Raises:
        AddressTaken: when somebody else has the e-mail address.
    """
    password = passwords.one_time_password()
    with transaction.atomic():
        one_at_a_time()
        emails.refuse_taken(email)
        person = User(username=username, email=email, role=role, must_change_password=True)
        person.set_password(password)
        person.full_clean()
        person.save()
        person.teams.set(teams)
        detail = {"role": str(role), "teams": [team.slug for team in teams]}
        record(Action.PERSON_ADDED, actor=actor, subject=person, detail=detail)
    return person, password


def change_role(person: User, role: Role, *, actor: User) -> None:
    """
    Raises:
        PeopleError: when nobody would be left who can manage people.
    """
    stays = role == Role.ADMINISTRATOR
    if role == person.role and (stays or not person.is_superuser):
        return
    with transaction.atomic():
        before = person.role
        _update(person, stays=stays, role=role, **({} if stays else {"is_superuser": False}))
        detail = {"from": before, "to": str(role)}
        record(Action.ROLE_CHANGED, actor=actor, subject=person, detail=detail)


def switch_off(person: User, *, actor: User) -> None:
    """Their sessions end and their tokens are revoked, at once.

    Raises:
        PeopleError: when nobody would be left who can manage people.
    """
    with transaction.atomic():
        _update(person, stays=False, is_active=False)
        passwords.end_access(person, actor=actor, why="switched off")
        record(Action.PERSON_SWITCHED_OFF, actor=actor, subject=person)


def switch_on(person: User, *, actor: User) -> None:
    """Tokens stay revoked."""
    with transaction.atomic():
        _update(person, stays=True, is_active=True)
        record(Action.PERSON_SWITCHED_ON, actor=actor, subject=person)


def _update(person: User, *, stays: bool, **columns: object) -> None:
    """One conditional UPDATE; of two administrators who remove each other, one succeeds.

    ``stays`` is whether the person can manage people afterwards, if so before.
    """
    row = User.objects.filter(pk=person.pk)
    if not stays:
        one_at_a_time()
        others = User.objects.filter(ADMINISTRATORS).exclude(pk=person.pk)
        row = row.filter(Exists(others) | ~ADMINISTRATORS)
    changed = row.update(**columns)
    person.refresh_from_db()
    if not changed:
        raise PeopleError(
            f"{person} is the last administrator: make somebody else one first, or nobody could"
            " manage people any more"
        )
