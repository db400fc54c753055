"""People of every role, named after it, and clients that are signed in as them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from csro_web.accounts.models import Role, User


@pytest.fixture
def person(db: None) -> Callable[[str], User]:
    """Makes the person of a role (once), named after it; the password is the name."""

    def make(role: str) -> User:
        found = User.objects.filter(username=role).first()
        if found:
            return found
        return User.objects.create_user(role, f"{role}@example.org", role, role=Role(role))

    return make


@pytest.fixture
def as_role(person: Callable[[str], User]) -> Callable[[str], Client]:
    """A client that is signed in as the person of a role."""

    def make(role: str) -> Client:
        client = Client()
        client.force_login(person(role))
        return client

    return make


@pytest.fixture
def viewer(as_role: Callable[[str], Client]) -> Client:
    return as_role(Role.VIEWER)


@pytest.fixture
def operator(as_role: Callable[[str], Client]) -> Client:
    return as_role(Role.OPERATOR)
