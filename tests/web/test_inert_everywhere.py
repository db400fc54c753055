"""Every page of the application, with hostile text in every column that could hold some.

Pages come from the URL configuration and columns from the models, so a new page or a new column is
tried without being named here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern

from csro_web.accounts.models import Role, User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.runs.models import Run, RunState
from tests.web import hostile, objects

HIDDEN = re.compile("[\x00\x07\x0b\x1b\u200b\u202e\u2066]")
PARTS_WITHOUT_PAGE = {"healthz"}
HTML = "text/html"


def pages() -> list[URLPattern]:
    """All that have an object for each argument; the tests of permissions fail for others."""
    return [
        pattern
        for pattern in objects.all_patterns()
        if pattern.name not in PARTS_WITHOUT_PAGE
        and pattern.pattern.converters.keys() <= objects.BUILDERS.keys()
    ]


@pytest.fixture
def hostile_run(
    person: Callable[[str], User], monkeypatch: pytest.MonkeyPatch
) -> tuple[dict[str, str], User]:
    """The address of every page, with real objects whose every text is hostile."""
    once = {name: lru_cache(build) for name, build in objects.BUILDERS.items()}
    monkeypatch.setattr(objects, "BUILDERS", once)
    administrator = person(Role.ADMINISTRATOR)
    run = objects.run_of(None, hostile.MARK)
    addresses = {
        str(pattern.name): objects.address(pattern, run, administrator) for pattern in pages()
    }
    for state in (RunState.PAUSED, RunState.FAILED):
        other = objects.run_of(None, hostile.MARK)
        Run.objects.filter(pk=other.pk).update(state=state)
        addresses[f"run that is {state}"] = f"/runs/{other.pk}"
        addresses[f"live {state}"] = f"/runs/{other.pk}/live?since=0"
    return addresses, administrator


def fill(administrator: User, *, long: bool = False) -> None:
    assert hostile.fill_everything(long=long) > 100
    administrator.refresh_from_db()
    with transaction.atomic():
        record(
            Action.RUN_PAUSED,
            actor=administrator,
            subject=Run.objects.last(),
            detail={hostile.TEXT: hostile.TEXT, "list": [hostile.TEXT]},
        )


def signed_in(administrator: User) -> Client:
    client = Client()
    client.force_login(administrator)
    return client


def body_of(response: Any) -> str:
    parts = getattr(response, "streaming_content", None)
    content = b"".join(parts) if parts is not None else response.content
    return content.decode(errors="replace")


class Reader(HTMLParser):
    """What of a page could act, and which characters it shows that nobody sees."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.typed = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.typed = tag == "textarea"
        acts = [name for name in given if name.startswith("on") or name == "style"]
        acts += [tag] if tag in ("img", "b", "style", "base", "iframe", "object") else []
        acts += [tag] if tag == "script" and "src" not in given else []
        acts += [
            name
            for name, value in attributes
            if name in ("href", "src", "action") and (value or "").lower().startswith("javascript:")
        ]
        if acts:
            self.found.append(f"acts: {acts} in {self.get_starttag_text()!r}"[:300])
        for name, value in attributes:
            # What people edit goes back as it is: values of inputs are not rewritten.
            if name != "value" and HIDDEN.search(value or ""):
                self.found.append(f"hidden in {name} of {self.get_starttag_text()!r}"[:300])

    def handle_endtag(self, tag: str) -> None:
        self.typed = False

    def handle_data(self, data: str) -> None:
        if not self.typed and HIDDEN.search(data):
            self.found.append(f"hidden: {data[:200]!r} at {self.getpos()}")


def wrong_with(response: Any) -> list[str]:
    """What of the hostile text could act or is not to be seen."""
    if response.status_code == 405:
        return []
    if response.status_code >= 500:
        return [f"status {response.status_code}"]
    if HTML not in response.get("Content-Type", ""):
        nosniff = response.get("X-Content-Type-Options") == "nosniff"
        return [] if nosniff else ["a file without nosniff"]
    text = body_of(response)
    reader = Reader()
    reader.feed(text)
    reader.close()
    found = reader.found
    if hostile.MARK in text and "U+202E" not in text:
        found.append("a hidden character is shown nowhere")
    return found[:2]


@pytest.mark.django_db
def test_no_page_lets_a_text_act_or_hides_what_is_in_it(
    hostile_run: tuple[dict[str, str], User],
) -> None:
    addresses, administrator = hostile_run
    fill(administrator)
    client = signed_in(administrator)
    client.raise_request_exception = False
    wrong: dict[str, list[str]] = {}
    shown = 0
    for name, address in addresses.items():
        response = client.get(address)
        if found := wrong_with(response):
            wrong[name] = found
        shown += not response.streaming and b"U+202E" in response.content
    assert wrong == {}
    assert shown > len(addresses) / 4


@pytest.mark.django_db
def test_a_line_of_a_hundred_thousand_characters_breaks_no_page(
    hostile_run: tuple[dict[str, str], User],
) -> None:
    addresses, administrator = hostile_run
    fill(administrator, long=True)
    client = signed_in(administrator)
    client.raise_request_exception = False
    wrong: dict[str, list[str]] = {}
    for name, address in addresses.items():
        if found := wrong_with(client.get(address)):
            wrong[name] = found
    assert wrong == {}


@pytest.mark.needs("chromium")
@pytest.mark.django_db(transaction=True)
def test_in_a_browser_no_text_runs_as_a_script_and_no_page_breaks_the_content_policy(
    hostile_run: tuple[dict[str, str], User], open_browser: Any
) -> None:
    addresses, administrator = hostile_run
    fill(administrator)
    client = signed_in(administrator)
    browser = open_browser()
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value}
    browser.page.context.add_cookies([{**cookie, "url": browser.address}])
    owned = []
    for name, address in addresses.items():
        answer = client.get(address)
        if answer.status_code != 200 or HTML not in answer["Content-Type"]:
            continue
        browser.open(address)
        if browser.page.title() == "owned" or browser.page.locator('img[src="x"]').count():
            owned.append(name)
    assert owned == []
