"""Encrypted connections are verified, and held to the same deadlines."""

from __future__ import annotations

import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from games.engine import MatchCancelled
from oracles.models import ModelFailed
from oracles.models.exchange import certificates
from tests.model_server import ModelServer, drips, silent
from tests.oracles.models.asking import choice, client, request

pytestmark = pytest.mark.needs("openssl")


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for 127.0.0.1 that nobody has signed, with its key in the same file."""
    key, signed, both = (tmp_path / name for name in ("key.pem", "cert.pem", "both.pem"))
    what = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
    files = ["-keyout", str(key), "-out", str(signed)]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *what, *files]
    subprocess.run(command, check=True, capture_output=True)
    both.write_bytes(key.read_bytes() + signed.read_bytes())
    return both


@pytest.fixture
def encrypted(certificate: Path) -> Iterator[ModelServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with ModelServer("over TLS", tls=context) as server:
        yield server


@pytest.fixture
def _trusted(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    certificates.cache_clear()
    yield
    certificates.cache_clear()


def test_an_unknown_certificate_is_refused_and_nothing_is_sent(encrypted: ModelServer) -> None:
    certificates.cache_clear()
    asking, _ = client()
    with pytest.raises(ModelFailed, match="certificate verify failed"):
        asking.ask(request(choice(encrypted, retries=0)))
    assert encrypted.requests == []


@pytest.mark.usefixtures("_trusted")
def test_a_known_certificate_is_accepted_and_the_deadline_bites(encrypted: ModelServer) -> None:
    asking, _ = client()
    assert asking.ask(request(choice(encrypted), key="a")).text == "over TLS"
    encrypted.script(drips(seconds=0.1))
    began = time.monotonic()
    with pytest.raises(ModelFailed, match=r"no whole answer within 0\.6 seconds"):
        asking.ask(request(choice(encrypted, retries=0, deadline_seconds=0.6), key="b"))
    assert time.monotonic() - began < 2.0


@pytest.mark.usefixtures("_trusted")
def test_a_stop_closes_an_encrypted_connection(encrypted: ModelServer) -> None:
    asking, _ = client()
    asking.ask(request(choice(encrypted), key="loaded"))
    encrypted.script(silent())
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with pytest.raises(MatchCancelled):
        asking.ask(request(choice(encrypted, deadline_seconds=60)), stop.is_set)
    assert encrypted.requests[-1].abandoned.wait(5)
