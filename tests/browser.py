"""A browser that watches what pages do: one in a session, since two cannot share a thread."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest


@dataclass
class Watched:
    """A browser page with what its console and its requests said."""

    page: Any
    address: str
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, path: str) -> Any:
        return self.page.goto(self.address + path)

    def sign_in(self, name: str) -> None:
        self.open("/sign-in")
        self.page.fill("#id_username", name)
        self.page.fill("#id_password", name)
        self.page.click("main button")
        self.page.wait_for_selector("h1:has-text('Runs')")

    def polls(self) -> int:
        return sum("/live?" in request for request in self.requests)


def serious(page: Any) -> list[str]:
    """What axe-core finds on a page that stands in the way of people with assistive technology."""
    from axe_core_python.sync_playwright import Axe

    # Nothing but the violations is written out in full: half the work on a page of long lines.
    violations = Axe().run(page, options={"resultTypes": ["violations"]})["violations"]
    return [
        f"{one['id']} ({len(one['nodes'])}): {one['nodes'][0]['html'][:160]}"
        for one in violations
        if one["impact"] in ("serious", "critical")
    ]


def findings(browser: Watched, addresses: Sequence[str]) -> list[str]:
    """Pages that scroll sideways, and what is serious on each."""
    found = []
    for address in addresses:
        browser.open(address)
        wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        if browser.page.evaluate(wide):
            found.append(f"{address}: scrolls sideways")
        found += [f"{address}: {finding}" for finding in serious(browser.page)]
    return found


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    from tests.services import find_program

    quiet = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
    # Playwright keeps an event loop in this thread; Django must not take it for async code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        program = find_program("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=quiet)
        yield browser
        browser.close()


@pytest.fixture
def open_browser(chromium: Any, live_server: Any) -> Iterator[Callable[..., Watched]]:
    """Opens a page of a given size; at the end no page may have broken the content policy."""
    opened: list[tuple[Any, Watched]] = []

    def make(width: int = 1280, height: int = 850, **options: Any) -> Watched:
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        watched = Watched(context.new_page(), live_server.url)
        watched.page.on("console", lambda said: watched.console.append(said.text))
        watched.page.on("pageerror", lambda error: watched.console.append(f"error: {error}"))
        watched.page.on("request", lambda request: watched.requests.append(request.url))
        opened.append((context, watched))
        return watched

    yield make
    said = [text for _, watched in opened for text in watched.console]
    strangers = [
        url
        for _, watched in opened
        for url in watched.requests
        if not url.startswith(live_server.url)
    ]
    for context, _ in opened:
        context.close()
    assert [text for text in said if "Content Security Policy" in text or "error:" in text] == []
    assert strangers == []
