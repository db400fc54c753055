"""One letter a review and person, handed to a real mail server, whatever people wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from csro_web.accounts.models import Role, Team, User
from csro_web.jobs.models import Job, JobState
from csro_web.jobs.work import perform
from csro_web.mail_server import base_address
from csro_web.mail_server import mail_server as address_of_server
from csro_web.policies.models import Policy
from csro_web.reviews import drafts, inbox, mail, publishing
from csro_web.reviews.anchors import Lines
from csro_web.reviews.models import Review, Verdict
from csro_web.runs.worker import Worker
from tests.mail_server import Mailbox, mail_server
from tests.web import builders
from tests.web.review_builders import add_thread

pytestmark = pytest.mark.django_db
Person = Callable[[str], User]


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    with mail_server() as box:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", box.port
        settings.MAIL_ON, settings.BASE_URL = True, "https://csro.example.org"
        settings.DEFAULT_FROM_EMAIL = "CSRO <csro@example.org>"
        yield box


@pytest.fixture
def policy(person: Person) -> Policy:
    run = builders.make_run(name="the run")
    run.launched_by = person(Role.OPERATOR)
    run.save()
    return builders.add_policy(run, builders.FIRST, name="first")


def publish(policy: Policy, author: User, *, body: str = "Read it.", comments: int = 2) -> Review:
    for number in range(comments):
        selection = drafts.Selection(Lines(10 + number, 10 + number))
        drafts.open_thread(
            program=policy, person=author, key=uuid4(), selection=selection, body=f"{body} {number}"
        )
    return publishing.publish(
        program=policy, person=author, key=uuid4(), body=body, verdict=Verdict.COMMENT, mark=""
    )


def work() -> list[str]:
    """Do all letters that are due; the states of all jobs after it."""
    worker = Worker(engine_workers=1, announce=False)
    for pk in Job.objects.values_list("pk", flat=True):
        perform(pk, worker)
    worker.close()
    return list(Job.objects.order_by("pk").values_list("state", flat=True))


def test_a_review_with_many_comments_is_one_letter_to_each_person(
    mailbox: Mailbox, policy: Policy, person: Person
) -> None:
    add_thread(policy, person(Role.APPROVER), first=3)
    publish(policy, person(Role.REVIEWER), comments=5, body="@approver and @operator, look:")
    assert work() == [JobState.DONE] * 2
    assert sorted(one.recipients[0] for one in mailbox.letters) == [
        "approver@example.org",
        "operator@example.org",
    ]
    letter = mailbox.letters[0].message
    assert letter["Subject"] == "[CSRO] reviewer: first (the run)"
    assert letter.get_content_type() == "text/plain"
    text = letter.get_content()
    assert text.count("@approver and @operator, look:") == 6
    assert "https://csro.example.org/reviews/" in text
    assert letter["Auto-Submitted"] == "auto-generated"


def test_nothing_is_sent_before_the_review_is_published_or_where_no_server_is_named(
    policy: Policy, person: Person, settings: Any
) -> None:
    assert settings.MAIL_ON is False
    publish(policy, person(Role.REVIEWER))
    assert not Job.objects.exists()


def test_hostile_names_and_texts_add_no_header_and_no_control_character(
    mailbox: Mailbox, policy: Policy, person: Person
) -> None:
    Policy.objects.filter(pk=policy.pk).update(name="x\r\nBcc: all@example.org\u202e")
    policy.refresh_from_db()
    attack = "a\r\n.\r\nMAIL FROM:<evil@example.org>\r\n\x1b[2J\u202eend"
    publish(policy, person(Role.REVIEWER), body=attack)
    assert work() == [JobState.DONE]
    (letter,) = mailbox.letters
    assert letter.recipients == ["operator@example.org"]
    assert letter.message["Bcc"] is None
    assert "\n" not in letter.message["Subject"]
    text = letter.message.get_content()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "> MAIL FROM:<evil@example.org>" in text


def test_links_never_follow_the_host_of_a_request(
    mailbox: Mailbox, policy: Policy, as_role: Any, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    fields = {"key": str(uuid4()), "first": "3", "body": "Hm.", "now": "1"}
    address = f"/policies/{policy.pk}/comments"
    as_role(Role.REVIEWER).post(address, fields, headers={"host": "evil.example.com"})
    assert work() == [JobState.DONE]
    assert "evil.example.com" not in mailbox.letters[0].raw.decode()


def test_a_server_that_is_busy_is_asked_again_later_and_the_waits_grow(
    mailbox: Mailbox, policy: Policy, person: Person
) -> None:
    mailbox.answers["CONNECT"] = "421 too busy"
    publish(policy, person(Role.REVIEWER))
    waits = []
    for _ in range(3):
        assert work() == [JobState.READY]
        job = Job.objects.get()
        assert "421" in job.failure
        waits.append(round((job.not_before - timezone.now()).total_seconds(), -1))
        assert work() == [JobState.READY], "not before its time"
        Job.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    assert waits == [30, 60, 120]
    assert mailbox.sessions == 3
    mailbox.answers.clear()
    assert work() == [JobState.DONE]
    assert len(mailbox.letters) == 1


def test_a_server_that_is_gone_is_asked_ten_times(
    policy: Policy, person: Person, mailbox: Mailbox, settings: Any
) -> None:
    with mail_server() as gone:
        settings.EMAIL_PORT = gone.port
    publish(policy, person(Role.REVIEWER))
    for _ in range(9):
        assert work() == [JobState.READY]
        Job.objects.update(not_before=None)
    assert work() == [JobState.FAILED]
    assert "given up after 10 attempts" in Job.objects.get().failure


def test_an_address_that_is_refused_for_good_is_not_tried_again(
    mailbox: Mailbox, policy: Policy, person: Person
) -> None:
    mailbox.answers["RCPT"] = "550 no such person"
    publish(policy, person(Role.REVIEWER))
    assert work() == [JobState.FAILED]
    assert Job.objects.get().failure == "the mail server refuses the recipient (550)"


def test_letters_go_to_nobody_who_switched_them_off_left_or_may_not_see_the_run(
    mailbox: Mailbox, policy: Policy, person: Person
) -> None:
    reviewer = person(Role.REVIEWER)
    inbox.choose_letters(person(Role.OPERATOR), wanted=False)
    publish(policy, reviewer)
    assert not Job.objects.exists()
    inbox.choose_letters(person(Role.OPERATOR), wanted=True)
    publish(policy, reviewer, body="again")
    inbox.choose_letters(person(Role.OPERATOR), wanted=False)
    assert work() == [JobState.DONE], "asked again when it is sent"
    publish(policy, reviewer, body="@approver, once more")
    policy.run.team = Team.objects.create(name="others", slug="others")
    policy.run.save()
    person(Role.APPROVER)
    work()
    assert mailbox.letters == []


def test_a_letter_that_is_sent_twice_has_one_message_id(
    mailbox: Mailbox, policy: Policy, person: Person
) -> None:
    review = publish(policy, person(Role.REVIEWER))
    for _ in range(2):
        assert mail.send(review.pk, person(Role.OPERATOR).pk, attempt=1) == "sent"
    assert len({one.message["Message-ID"] for one in mailbox.letters}) == 1


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("smtp://mail.example.org", ("mail.example.org", 25, "", False, False)),
        ("smtp+starttls://me:x%40y@mail.example.org", ("mail.example.org", 587, "me", True, False)),
        ("smtps://me@mail.example.org:4465", ("mail.example.org", 4465, "me", False, True)),
    ],
)
def test_a_mail_server_is_read_from_one_address(address: str, expected: tuple[Any, ...]) -> None:
    found = address_of_server(address, password="secret")
    assert found is not None
    assert (found.host, found.port, found.user, found.starttls, found.tls) == expected


@pytest.mark.parametrize(
    "address",
    ["mail.example.org", "http://mail.example.org", "smtp://:25", "smtp://h:99999", "smtp://h/x"],
)
def test_what_is_no_address_of_a_mail_server_is_refused_without_quoting_it(address: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="CSRO_EMAIL_URL") as refusal:
        address_of_server(address)
    assert address not in str(refusal.value)


def test_a_password_is_not_sent_in_clear() -> None:
    with pytest.raises(ImproperlyConfigured, match="in clear") as refusal:
        address_of_server("smtp://me:secret@mail.example.org")
    assert "secret" not in str(refusal.value)
    assert address_of_server("smtp://me:secret@127.0.0.1") is not None


def test_the_address_of_the_site_is_checked() -> None:
    assert base_address("https://csro.example.org/") == "https://csro.example.org"
    for text in (
        "csro.example.org",
        "javascript:alert(1)",
        "https://a@b",
        "https://a/?x",
        "http://",
    ):
        with pytest.raises(ImproperlyConfigured, match="CSRO_BASE_URL"):
            base_address(text)
