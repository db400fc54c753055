"""``/healthz`` says what a load balancer has to know, and to anybody nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client


@pytest.mark.django_db
def test_a_database_that_answers_is_well(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_a_file_of_the_database_that_was_removed_is_told(
    client: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if connection.vendor != "sqlite":
        assert client.get("/healthz").status_code == 200
        return
    monkeypatch.setitem(connection.settings_dict, "NAME", str(tmp_path / "removed.sqlite3"))
    response = client.get("/healthz")
    assert response.status_code == 503
    assert "gone" in response.json()["status"]


@pytest.mark.django_db
def test_a_database_that_does_not_answer_is_told(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.db import OperationalError

    def refuse(*_: object) -> None:
        raise OperationalError("no such server")

    monkeypatch.setattr(connection, "cursor", refuse)
    monkeypatch.setattr(connection, "close", lambda: None)
    response = client.get("/healthz")
    assert (response.status_code, response.json()["status"]) == (
        503,
        "the database does not answer",
    )
