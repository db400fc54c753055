"""A refused request is one plain line of the log; a fault of ours keeps its traceback.

Seen through the log's own handler, as the settings make it.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from csro_web.accounts import tokens
from csro_web.accounts.models import Role, Scope, User
from csro_web.jobs.services import enqueue
from csro_web.logs import CONTINUED, RedactingFormatter
from tests.web import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the handler that the settings made writes meanwhile."""
    (handler,) = (
        one
        for one in logging.getLogger().handlers
        if isinstance(one, logging.StreamHandler) and isinstance(one.formatter, RedactingFormatter)
    )
    written = io.StringIO()
    before = handler.setStream(written)
    yield written
    handler.setStream(before)


def lines(log: io.StringIO) -> list[str]:
    return log.getvalue().splitlines()


def test_a_403_says_who_which_right_and_which_page_in_one_line(
    viewer: Client, log: io.StringIO
) -> None:
    assert viewer.post("/runs/new").status_code == 403
    (line,) = lines(log)
    assert line.endswith(
        "WARNING django.request: refused (403): viewer: POST /runs/new:"
        " lacks the right runs.launch (launch runs)"
    )


def test_a_refusal_for_another_reason_is_one_line_too(
    viewer: Client, person: Callable[[str], User], log: io.StringIO
) -> None:
    run = builders.make_run(name="the run")
    job = enqueue("no such kind", inputs={}, asked_by=person(Role.VIEWER), run=run)
    other = Client()
    other.force_login(User.objects.create_user("other", role=Role.REVIEWER))
    assert other.post(f"/jobs/{job.pk}/cancel").status_code == 403
    (line,) = (line for line in lines(log) if "refused" in line)
    assert "other: POST /jobs/" in line
    assert "only the person who asked for it" in line


def test_what_a_token_may_not_is_one_line_with_its_person(
    person: Callable[[str], User], log: io.StringIO
) -> None:
    _, text = tokens.make(person=person(Role.VIEWER), name="t", scopes=[Scope.READ])
    bearer = {"authorization": f"Bearer {text}"}
    assert Client().get("/api/v1/exports", headers=bearer).status_code == 403
    (line,) = lines(log)
    assert "refused (403): viewer: GET /api/v1/exports: this token has not the scope" in line
    assert text not in log.getvalue()


def test_hostile_text_in_an_address_or_a_form_stays_on_the_line_and_brings_no_traceback(
    viewer: Client, operator: Client, log: io.StringIO, settings: Any
) -> None:
    attack = "%0a2026-11-30%2000:00:00,000%20ERROR%20forged%1b%5b2J%e2%80%ae"
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 3
    assert viewer.post(f"/people?{attack}", {"a": "\n\x1b[2J"}).status_code == 403
    assert viewer.get(f"/policies/{attack}").status_code == 404
    many = {f"field {number}": attack for number in range(9)}
    assert operator.post("/runs/new", many).status_code == 400
    assert all(line.isprintable() for line in lines(log))
    assert len(lines(log)) == 3
    assert CONTINUED not in log.getvalue()


def test_a_fault_of_ours_keeps_its_traceback(
    viewer: Client, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("csro_web.accounts.account_views.render", fails)
    viewer.raise_request_exception = False
    assert viewer.get("/account").status_code == 500
    text = log.getvalue()
    assert "ERROR   django.request: Internal Server Error: /account" in text
    assert f"{CONTINUED}RuntimeError: the disk is full" in text
    assert f"{CONTINUED}Traceback" in text
