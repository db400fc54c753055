"""Correcting an e-mail address: who may, what is refused, and who is told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from csro_web.accounts import emails
from csro_web.accounts.models import Role, User
from csro_web.audit.models import AuditEvent
from csro_web.jobs.models import Job, JobState
from tests.mail_server import Mailbox, mail_server
from tests.web.test_review_letters import work

pytestmark = pytest.mark.django_db
OLD, NEW = "viewer@example.org", "viewer@example.net"


@pytest.fixture
def user(person: Callable[[str], User]) -> User:
    return person(Role.VIEWER)


@pytest.fixture
def administrator(as_role: Callable[[str], Client]) -> Client:
    return as_role(Role.ADMINISTRATOR)


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    with mail_server() as box:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", box.port
        settings.MAIL_ON, settings.BASE_URL = True, "https://csro.example.org"
        yield box


def address_of(user: User) -> str:
    return User.objects.get(pk=user.pk).email


def text(page: Any) -> str:
    return page.content.decode()


def test_the_owner_changes_it_with_the_password_and_the_old_address_is_told(
    user: User, viewer: Client, mailbox: Mailbox
) -> None:
    assert OLD in text(viewer.get("/account"))
    page = viewer.post("/account/email", {"email": NEW, "password": "viewer"}, follow=True)
    assert f"Letters go to {NEW} from now on." in text(page)
    assert address_of(user) == NEW
    assert work() == [JobState.DONE]
    (letter,) = mailbox.letters
    assert letter.recipients == [OLD]
    words = letter.message.get_content()
    assert 'the account "viewer" at https://csro.example.org' in words
    assert "with the password" in words
    assert NEW not in letter.raw.decode()


def test_an_administrator_corrects_it_and_the_trail_says_so_without_the_addresses(
    user: User, administrator: Client, mailbox: Mailbox
) -> None:
    page = administrator.post(f"/people/{user.pk}/email", {"email": NEW}, follow=True)
    assert NEW in text(page)
    assert address_of(user) == NEW
    work()
    assert "An administrator changed it" in mailbox.letters[0].message.get_content()
    event = AuditEvent.objects.get(action="person.email_changed")
    assert (event.actor_name, event.subject_name) == ("administrator", "viewer")
    assert event.detail["letter_to_the_old_one"] is True
    assert "example" not in str(event.detail)


def test_without_a_mail_server_it_is_changed_and_nothing_is_sent(
    user: User, viewer: Client
) -> None:
    viewer.post("/account/email", {"email": "", "password": "viewer"})
    assert address_of(user) == ""
    assert "you get no letters" in text(viewer.get("/account"))
    viewer.post("/account/email", {"email": NEW, "password": "viewer"})
    assert not Job.objects.exists()
    details = AuditEvent.objects.filter(action="person.email_changed").order_by("sequence")
    assert [(one.detail["from"], one.detail["to"]) for one in details] == [
        ("an address", "none"),
        ("none", "another address"),
    ]


@pytest.mark.parametrize(
    "wrong", ["viewer", "a@b", "a b@example.org", '"\x1b[2J"@example.org', "x@example.org\nBcc: y"]
)
def test_what_is_no_address_is_refused_with_what_was_typed(
    wrong: str, user: User, viewer: Client, administrator: Client
) -> None:
    own = viewer.post("/account/email", {"email": wrong, "password": "viewer"})
    by_other = administrator.post(f"/people/{user.pk}/email", {"email": wrong})
    added = administrator.post("/people", {"username": "eva", "email": wrong, "role": "viewer"})
    for page in (own, by_other, added):
        assert page.status_code == 422
        assert "This is no e-mail address: it looks like name@example.org." in text(page)
    assert wrong.split("@")[0].split('"')[0] in text(own)
    assert address_of(user) == OLD


def test_an_address_of_somebody_else_is_refused_in_any_case(
    user: User, viewer: Client, administrator: Client, person: Callable[[str], User]
) -> None:
    person(Role.OPERATOR)
    taken = "Operator@Example.org"
    own = viewer.post("/account/email", {"email": taken, "password": "viewer"})
    assert own.status_code == 422
    assert "Somebody else here has this address." in text(own)
    assert "operator has" not in text(own)
    by_other = administrator.post(f"/people/{user.pk}/email", {"email": taken})
    assert "operator has this address already: each person has their own." in text(by_other)
    added = administrator.post("/people", {"username": "eva", "email": taken, "role": "viewer"})
    assert added.status_code == 422
    assert "operator has this address already." in text(added)
    assert address_of(user) == OLD
    other_case = administrator.post(f"/people/{user.pk}/email", {"email": "VIEWER@example.org"})
    assert other_case.status_code == 302, "one's own address in another case is free"


def test_a_stolen_session_neither_moves_the_letters_away_nor_guesses_the_password(
    user: User, viewer: Client
) -> None:
    for number in range(5):
        viewer.post("/account/email", {"email": NEW, "password": f"guess {number}"})
    assert viewer.post("/account/email", {"email": NEW, "password": "viewer"}).status_code == 302
    assert viewer.get("/account").url.startswith("/sign-in")
    assert address_of(user) == OLD


@pytest.mark.django_db(transaction=True)
def test_of_two_who_take_the_same_address_at_the_same_time_one_gets_it(
    person: Callable[[str], User],
) -> None:
    """Both look whether it is free before either has written."""
    person(Role.ADMINISTRATOR)
    people = [User.objects.create_user(f"p{number}") for number in range(6)]
    together, refused = threading.Barrier(len(people)), []

    def take(one: User) -> None:
        together.wait(timeout=20)
        try:
            emails.change(one, NEW, actor=one)
        except emails.AddressTaken as error:
            refused.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=take, args=(one,)) for one in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert User.objects.filter(email=NEW).count() == 1
    assert len(refused) == len(people) - 1
