"""A person's own sessions, password and tokens."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from csro_web.accounts import sessions, tokens
from csro_web.accounts.models import ApiToken, Role, Scope, SignedIn, User
from csro_web.logs import redact

pytestmark = pytest.mark.django_db
LONG = "a long phrase of its own 7"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def user(person: Callable[[str], User]) -> User:
    return person(Role.VIEWER)


def signed_in(agent: str = FIREFOX) -> Client:
    client = Client(headers={"user-agent": agent})
    client.post("/sign-in", {"username": "viewer", "password": "viewer"})
    client.get("/")
    return client


def test_every_session_is_listed_and_ends_when_its_owner_says_so(user: User) -> None:
    here, there = signed_in(), signed_in("curl/8.1")
    page = here.get("/account").content.decode()
    assert "Firefox on Linux" in page
    assert "curl" in page
    assert "this one" in page
    assert here.cookies["sessionid"].value not in page
    far = SignedIn.objects.get(agent="curl/8.1")
    here.post(f"/account/sessions/{far.pk}/end")
    assert there.get("/").status_code == 302
    assert here.get("/").status_code == 200


def test_all_others_end_at_once(user: User) -> None:
    here, *others = (signed_in() for _ in range(3))
    here.post("/account/sessions/end-others")
    assert [client.get("/").status_code for client in others] == [302, 302]
    assert here.get("/").status_code == 200
    assert sessions.of(user).count() == 1


def test_nobody_ends_the_session_of_another(user: User, operator: Client) -> None:
    mine = signed_in()
    row = SignedIn.objects.get(person=user)
    assert operator.post(f"/account/sessions/{row.pk}/end").status_code == 404
    assert mine.get("/").status_code == 200


def test_signing_in_gives_the_session_a_new_key(user: User) -> None:
    """Whoever planted the cookie before does not come in with it."""
    client = Client()
    client.get("/sign-in")
    session = client.session
    session["planted"] = "1"
    session.save()
    before = client.cookies["sessionid"] = session.session_key
    client.post("/sign-in", {"username": "viewer", "password": "viewer"})
    assert client.cookies["sessionid"].value != before
    planted = Client()
    planted.cookies["sessionid"] = before
    assert planted.get("/").status_code == 302


def test_a_new_password_ends_the_other_sessions_and_keeps_this_one(user: User) -> None:
    here, there = signed_in(), signed_in()
    changed = {"old_password": "viewer", "new_password1": LONG, "new_password2": LONG}
    here.post("/account/password", changed)
    assert here.get("/").status_code == 200
    assert there.get("/").status_code == 302
    assert SignedIn.objects.filter(person=user).count() == 1


def test_a_token_is_shown_once_and_kept_as_a_hash(user: User) -> None:
    client = signed_in()
    form = {"name": "nightly", "scopes": ["read"], "days": "90"}
    page = client.post("/account/tokens", form).content.decode()
    found = re.search(r"csro_[0-9a-f]{12}_[0-9a-f]{64}", page)
    assert found
    assert found[0] not in client.get("/account").content.decode()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            assert found[0][18:] not in str(cursor.fetchall()), table
    token = tokens.find(found[0])
    assert token is not None
    assert token.person == user
    assert (token.expires_at - timezone.now()).days in (89, 90)
    assert found[0][18:] not in redact(f"GET /api Authorization: Bearer {found[0]} sent {found[0]}")


@pytest.mark.parametrize("wrong", [{"days": "366"}, {"days": "0"}, {"scopes": []}])
def test_a_token_lives_a_year_at_most_and_is_for_something(user: User, wrong: dict) -> None:  # type: ignore[type-arg]
    form = {"name": "nightly", "scopes": ["read"], "days": "90", **wrong}
    assert signed_in().post("/account/tokens", form).status_code == 422
    assert not ApiToken.objects.exists()


def test_a_token_ends_by_time_by_its_owner_and_with_the_account(user: User) -> None:
    token, text = tokens.make(person=user, name="nightly", scopes=[Scope.READ])
    assert tokens.find(text) == token
    last = "0" if text[-1] != "0" else "1"
    assert tokens.find(text[:-1] + last) is None
    assert tokens.find(text.upper()) is None
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert tokens.find(text) is None
    ApiToken.objects.update(expires_at=timezone.now() + timedelta(days=1))
    User.objects.update(is_active=False)
    assert tokens.find(text) is None
    User.objects.update(is_active=True)
    signed_in().post(f"/account/tokens/{token.pk}/revoke")
    assert tokens.find(text) is None


def test_a_token_waits_until_its_person_has_chosen_a_password_of_their_own(person: Any) -> None:
    owner = person(Role.VIEWER)
    made, text = tokens.make(person=owner, name="script", scopes=[Scope.READ])
    assert tokens.find(text) == made
    owner.must_change_password = True
    owner.save()
    assert tokens.find(text) is None
