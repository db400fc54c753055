"""What becomes of sessions and tokens when a password is replaced, and who may try it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.core.management import call_command
from django.db import connection
from django.test import Client

from csro_web.accounts import passwords, people, tokens
from csro_web.accounts.models import ApiToken, Role, Scope, SignedIn, User
from csro_web.audit.models import AuditEvent

pytestmark = pytest.mark.django_db
LONG = "a long phrase of its own 7"
TRIES = 5


@pytest.fixture
def user(person: Callable[[str], User]) -> User:
    return person(Role.VIEWER)


def signed_in(address: str = "192.0.2.7") -> Client:
    client = Client(REMOTE_ADDR=address)
    client.post("/sign-in", {"username": "viewer", "password": "viewer"})
    return client


def token_of(person: User, name: str = "nightly") -> str:
    return tokens.make(person=person, name=name, scopes=[Scope.READ])[1]


def change(client: Client, old: str = "viewer", **more: Any) -> Any:
    form = {"old_password": old, "new_password1": LONG, "new_password2": LONG, **more}
    return client.post("/account/password", form)


def reads_with(text: str) -> int:
    return Client().get("/api/v1/runs", headers={"authorization": f"Bearer {text}"}).status_code


def events(action: str) -> list[dict[str, Any]]:
    found = AuditEvent.objects.filter(action=action).order_by("sequence")
    return list(found.values_list("detail", flat=True))


def test_a_password_that_an_administrator_replaces_leaves_no_token_and_no_session_in_force(
    user: User, as_role: Callable[[str], Client]
) -> None:
    administrator, thief, text = as_role(Role.ADMINISTRATOR), signed_in(), token_of(user)
    assert reads_with(text) == 200
    assert "revokes all tokens" in administrator.get(f"/people/{user.pk}").content.decode()
    page = administrator.post(f"/people/{user.pk}/password").content.decode()
    assert "1 session ended, 1 token revoked" in page
    assert thief.get("/").status_code == 302
    assert reads_with(text) == 401
    own = User.objects.get(pk=user.pk)
    own.must_change_password = False
    own.save()
    assert reads_with(text) == 401, "also when the person has chosen a password of their own"
    (revoked,) = events("token.revoked")
    assert revoked["tokens"] == [str(ApiToken.objects.get())]
    assert text[18:] not in str(list(AuditEvent.objects.values()))


def test_the_terminal_ends_both_too(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    client, text = signed_in(), token_of(user)
    monkeypatch.setattr("getpass.getpass", lambda *_, **__: LONG)
    call_command("changepassword", "viewer")
    assert client.get("/").status_code == 302
    assert reads_with(text) == 401
    assert not SignedIn.objects.exists()


def test_an_own_new_password_revokes_the_tokens_unless_they_are_to_stay(user: User) -> None:
    client, text = signed_in(), token_of(user)
    page = client.get("/account/password").content.decode()
    assert "nightly" in page
    assert text[:17] in page
    page = client.post(
        "/account/password",
        {"old_password": "viewer", "new_password1": LONG, "new_password2": LONG},
        follow=True,
    ).content.decode()
    assert "0 sessions ended, 1 token revoked" in page
    assert reads_with(text) == 401
    kept = token_of(User.objects.get())
    again = {"new_password1": LONG + "8", "new_password2": LONG + "8", "keep_tokens": "on"}
    assert change(client, LONG, **again).status_code == 302
    assert reads_with(kept) == 200
    assert [one["tokens"] for one in events("person.password_changed")] == ["revoked", "kept"]


def test_no_token_is_made_behind_the_back_of_who_shuts_the_account(user: User) -> None:
    """A request that was let in before, and goes on after all tokens were revoked."""
    read_before = User.objects.get()
    passwords.give_out(user, actor=user)
    with pytest.raises(tokens.TokenRefused, match="sign in again"):
        token_of(read_before)
    other = User.objects.create_user("other", role=Role.ADMINISTRATOR)
    read_before = User.objects.get(username="viewer")
    people.switch_off(User.objects.get(username="viewer"), actor=other)
    with pytest.raises(tokens.TokenRefused):
        token_of(read_before)
    assert not ApiToken.objects.exists()


def test_a_change_under_way_does_not_undo_what_an_administrator_did(user: User) -> None:
    read_before = User.objects.get()
    given, _ = passwords.give_out(user, actor=user)
    with pytest.raises(passwords.PasswordOvertaken):
        passwords.change_own(read_before, LONG, session="x", keep_tokens=True)
    now = User.objects.get()
    assert now.check_password(given)
    assert now.must_change_password


def test_wrong_old_passwords_lock_the_name_and_end_the_session(user: User) -> None:
    """django-auth-policy 8, django-allauth 1872: the old password is a sign-in like any other."""
    thief = signed_in()
    answers = [change(thief, f"guess {number}").status_code for number in range(TRIES)]
    assert answers == [422] * (TRIES - 1) + [429]
    assert change(thief, "viewer").status_code == 302
    assert thief.get("/").url.startswith("/sign-in")
    assert User.objects.get().check_password("viewer")
    page = signed_in().get("/")
    assert page.status_code == 302, "the name is locked at this address, as at the sign-in page"
    assert signed_in("198.51.100.9").get("/").status_code == 200
    assert [one.get("where") for one in events("account.sign_in_failed")] == ["in a session"] * 5
    assert events("session.revoked")[0]["why"] == "too many wrong passwords"
    assert len(events("account.locked_out")) == 1


def test_a_thief_with_many_addresses_has_no_more_tries_than_with_one(user: User) -> None:
    thief = signed_in()
    for number in range(TRIES):
        answer = thief.post(
            "/account/password",
            {"old_password": "guess", "new_password1": LONG, "new_password2": LONG},
            REMOTE_ADDR=f"203.0.113.{number}",
        )
    assert answer.url == "/sign-in"
    assert not AccessAttempt.objects.filter(failures_since_start__gt=1).exists()
    assert thief.get("/account").status_code == 302
    shown = Client.get(thief, "/sign-in").content.decode()
    assert "Too many wrong passwords: this session has ended." in shown


def test_the_right_one_forgets_the_wrong_ones_before_it(user: User) -> None:
    client = signed_in()
    for _ in range(2):
        for _ in range(TRIES - 1):
            assert change(client, "wrong").status_code == 422
        mistyped = {"new_password2": "another"}
        assert change(client, "viewer", **mistyped).status_code == 422
    assert SignedIn.objects.get().wrong_passwords == 0


def test_a_lock_of_strangers_at_the_same_address_does_not_end_a_session(user: User) -> None:
    client = signed_in()
    stranger = Client(REMOTE_ADDR="192.0.2.7")
    for _ in range(TRIES):
        stranger.post("/sign-in", {"username": "viewer", "password": "wrong"})
    assert [change(client).status_code for _ in range(TRIES + 1)] == [429] * (TRIES + 1)
    assert client.get("/").status_code == 200


def test_no_password_of_the_form_is_kept_anywhere(user: User) -> None:
    client = signed_in()
    change(client, "correct horse 42")
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            kept = str(cursor.fetchall())
            assert "correct horse" not in kept, table
            assert LONG not in kept, table


def test_no_usable_token_hides_behind_others(user: User) -> None:
    client = signed_in()
    token_of(user, "the hidden one")
    for number in range(60):
        made, _ = tokens.make(person=user, name=f"decoy {number}", scopes=[Scope.READ])
        tokens.revoke(made, actor=user)
    assert "the hidden one" in client.get("/account").content.decode()
    for number in range(tokens.MOST_USABLE - 1):
        token_of(user, f"further {number}")
    page = client.post("/account/tokens", {"name": "one more", "scopes": ["read"], "days": "1"})
    assert page.status_code == 409
    assert f"you have {tokens.MOST_USABLE} usable tokens" in page.content.decode()


def test_a_superuser_is_shown_as_what_they_are_and_can_lose_it() -> None:
    actor = User.objects.create_user("actor", role=Role.ADMINISTRATOR)
    call_command("createsuperuser", "--noinput", "--username", "chief", "--email", "")
    chief = User.objects.get(username="chief")
    assert chief.role == Role.ADMINISTRATOR
    User.objects.filter(pk=chief.pk).update(role=Role.VIEWER)
    chief.refresh_from_db()
    people.change_role(chief, Role.VIEWER, actor=actor)
    chief.refresh_from_db()
    assert not chief.is_superuser
