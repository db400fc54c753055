"""Letters over STARTTLS, to a server that wants a password: sent, or kept with a plain reason."""

from __future__ import annotations

import base64
import io
import ipaddress
import logging
import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.db import connection

from csro_web.accounts.models import Role, User
from csro_web.jobs.models import Job, JobState
from csro_web.logs import RedactingFormatter
from csro_web.mail_server import mail_server as address_of_server
from csro_web.policies.models import Policy
from tests.mail_server import Mailbox, mail_server
from tests.web import builders
from tests.web.test_review_letters import publish, work

pytestmark = pytest.mark.django_db
SECRET = "p4ss of the mail server"
IN_BASE64 = base64.b64encode(f"\0csro\0{SECRET}".encode()).decode()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A file with a key and its own certificate, for 127.0.0.1, that nobody trusts yet."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mail.example.org")])
    now = datetime.now(UTC)
    here = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([here]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file = tmp_path / "mail.pem"
    file.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture
def mailbox(settings: Any, certificate: Path) -> Iterator[Mailbox]:
    with mail_server() as box:
        box.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        box.tls.load_cert_chain(certificate)
        box.sign_in = ("csro", SECRET)
        use(settings, f"smtp+starttls://csro@127.0.0.1:{box.port}", SECRET)
        yield box


def use(settings: Any, address: str, password: str) -> None:
    """As csro_web/settings.py does with CSRO_EMAIL_URL and CSRO_EMAIL_PASSWORD."""
    found = address_of_server(address, password=password)
    assert found is not None
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = found.host, found.port
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = found.user, found.password
    settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL = found.starttls, found.tls
    settings.MAIL_ON, settings.BASE_URL = True, "https://csro.example.org"


@pytest.fixture
def trusted(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    return lambda: monkeypatch.setenv("SSL_CERT_FILE", str(certificate))


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything that any part logs, also what the settings leave out."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(RedactingFormatter())
    root = logging.getLogger()
    before, root.level = root.level, logging.DEBUG
    root.addHandler(handler)
    yield written
    root.removeHandler(handler)
    root.level = before


@pytest.fixture(autouse=True)
def asked(mailbox: Mailbox, person: Callable[[str], User]) -> Policy:
    """A review was published, of which the operator is to get a letter."""
    run = builders.make_run(name="the run")
    run.launched_by = person(Role.OPERATOR)
    run.save()
    policy = builders.add_policy(run, builders.FIRST, name="first")
    publish(policy, person(Role.REVIEWER))
    return policy


def try_again() -> list[str]:
    Job.objects.update(not_before=None)
    return work()


def assert_secret_is_nowhere(log: io.StringIO) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM jobs_job")
        kept = str(cursor.fetchall())
    for text in (log.getvalue(), kept):
        assert SECRET not in text
        assert IN_BASE64 not in text


def test_a_letter_is_sent_under_tls_and_the_password_never_in_clear(
    mailbox: Mailbox, trusted: Callable[[], None], log: io.StringIO
) -> None:
    trusted()
    assert work() == [JobState.DONE]
    assert mailbox.letters[0].recipients == ["operator@example.org"]
    assert [line[:4] for line in mailbox.in_clear.splitlines()] == [b"ehlo", b"STAR"]
    assert_secret_is_nowhere(log)


def test_a_certificate_that_is_not_trusted_gets_nothing_and_the_letter_waits(
    mailbox: Mailbox, trusted: Callable[[], None], log: io.StringIO
) -> None:
    assert work() == [JobState.READY]
    failure = Job.objects.get().failure
    assert "certificate is not trusted (self-signed certificate)" in failure
    assert "SSL_CERT_FILE" in failure
    assert f"a letter is not sent yet: {failure}" in log.getvalue()
    assert mailbox.letters == []
    assert b"AUTH" not in mailbox.in_clear
    assert_secret_is_nowhere(log)
    trusted()
    assert try_again() == [JobState.DONE]
    assert len(mailbox.letters) == 1


def test_a_certificate_for_another_name_is_not_taken(
    mailbox: Mailbox, trusted: Callable[[], None], settings: Any
) -> None:
    trusted()
    use(settings, f"smtp+starttls://csro@localhost:{mailbox.port}", SECRET)
    assert work() == [JobState.READY]
    assert "Hostname mismatch" in Job.objects.get().failure
    assert mailbox.letters == []


def test_who_takes_starttls_away_on_the_wire_gets_nothing(
    mailbox: Mailbox, trusted: Callable[[], None]
) -> None:
    trusted()
    mailbox.answers["EHLO"] = "250-mail.example.org\r\n250 AUTH PLAIN"
    assert work() == [JobState.READY]
    assert "does not offer what CSRO_EMAIL_URL asks for" in Job.objects.get().failure
    assert b"AUTH" not in mailbox.in_clear
    assert b"MAIL" not in mailbox.in_clear


def test_a_wrong_password_keeps_the_letter_and_is_not_told_even_if_the_server_repeats_it(
    mailbox: Mailbox, trusted: Callable[[], None], log: io.StringIO
) -> None:
    trusted()
    mailbox.sign_in = ("csro", "another one")
    assert work() == [JobState.READY]
    assert "does not let us sign in (535): look at CSRO_EMAIL_PASSWORD" in Job.objects.get().failure
    assert_secret_is_nowhere(log)
    mailbox.sign_in = ("csro", SECRET)
    assert try_again() == [JobState.DONE]
