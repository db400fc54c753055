"""What a stranger or another site can make a signed-in browser do: nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from django.test import Client
from django.urls import URLPattern, reverse

from csro_web.accounts.models import Role, User
from tests.web import builders, objects

pytestmark = pytest.mark.django_db
PAGES = objects.pages()
AWAY = (
    *("//evil.example", "https://evil.example", "https:evil.example", "///evil.example"),
    *("/\\evil.example", "\\\\evil.example", "javascript:alert(1)", " //evil.example"),
    *("/\t/evil.example", "%2F%2Fevil.example", "http:///evil.example", "//evil.example%2f.."),
)


@pytest.mark.parametrize("pattern", PAGES, ids=lambda pattern: pattern.name)
def test_no_form_of_another_site_is_taken(
    pattern: URLPattern, person: Callable[[str], User]
) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person(Role.ADMINISTRATOR))
    address = reverse(str(pattern.name), kwargs=dict.fromkeys(pattern.pattern.converters, 987654))
    answer = client.post(address, headers={"origin": "https://evil.example"})
    assert answer.status_code in (403, 405)
    if answer.status_code == 405:
        assert "POST" not in answer["Allow"]
    else:
        assert "form" in answer.content.decode()


def stays(url: str) -> bool:
    """Whether a browser, which takes a backslash for a slash and drops tabs, stays on this site."""
    read = url.replace("\\", "/").replace("\t", "").strip()
    there = urlsplit(urljoin("http://testserver/sign-in", read))
    return (there.scheme, there.netloc) == ("http", "testserver")


@pytest.mark.parametrize("away", AWAY)
def test_signing_in_leads_nowhere_else(away: str, person: Callable[[str], User]) -> None:
    person(Role.VIEWER)
    right = {"username": "viewer", "password": "viewer", "next": away}
    assert stays(Client().post("/sign-in", right).url)
    client = Client()
    client.force_login(person(Role.VIEWER))
    assert stays(client.get("/sign-in", {"next": away}).url)
    page = Client().get("/sign-in", {"next": away}).content.decode()
    assert f'href="{away}"' not in page


def test_a_path_of_ours_is_where_signing_in_leads(person: Callable[[str], User]) -> None:
    person(Role.VIEWER)
    right = {"username": "viewer", "password": "viewer", "next": "/results?game=leduc"}
    assert Client().post("/sign-in", right).url == "/results?game=leduc"


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "localhost:8000@e.x"])
def test_a_host_that_is_not_ours_is_refused(host: str) -> None:
    answer = Client().get("/sign-in", headers={"host": host})
    assert answer.status_code == 400
    assert "evil" not in answer.content.decode()


def some_pages(run: Any) -> list[str]:
    policy = run.policies.last()
    return [
        *("/", "/runs/new", "/account", "/people", "/results", "/nowhere"),
        *(f"/runs/{run.pk}", f"/runs/{run.pk}/payoffs.csv", f"/runs/{run.pk}/calls.json"),
        *(f"/policies/{policy.pk}", f"/policies/{policy.pk}/source"),
    ]


def test_no_page_is_framed_kept_or_guessed(as_role: Callable[[str], Client]) -> None:
    run = builders.populated_run(iterations=1)
    for address in some_pages(run):
        for client in (as_role(Role.VIEWER), as_role(Role.ADMINISTRATOR), Client()):
            answer = client.get(address)
            assert answer["X-Frame-Options"] == "DENY", address
            assert "frame-ancestors 'none'" in answer["Content-Security-Policy"], address
            assert answer["X-Content-Type-Options"] == "nosniff", address
            assert {"private", "no-store"} <= set(answer["Cache-Control"].split(", ")), address


def test_cookies_are_out_of_reach_of_scripts_and_of_other_sites(
    person: Callable[[str], User], settings: Any
) -> None:
    person(Role.VIEWER)
    settings.SESSION_COOKIE_SECURE = True
    client = Client()
    client.post("/sign-in", {"username": "viewer", "password": "viewer"}, secure=True)
    cookie = client.cookies["sessionid"]
    assert (cookie["httponly"], cookie["samesite"], cookie["secure"]) == (True, "Lax", True)


def test_a_link_signs_nobody_out(viewer: Client) -> None:
    assert viewer.get("/sign-out").status_code == 405
    assert viewer.get("/").status_code == 200
    viewer.post("/sign-out")
    assert viewer.get("/").status_code == 302


def test_no_form_puts_a_password_into_an_address(as_role: Callable[[str], Client]) -> None:
    for client, address in ((Client(), "/sign-in"), (as_role(Role.VIEWER), "/account/password")):
        page = client.get(address).content.decode()
        forms = [form for form in re.findall(r"<form.*?</form>", page, re.S) if "password" in form]
        assert [form for form in forms if 'type="password"' in form]
        assert all(form.startswith('<form method="post"') for form in forms)
    shown = Client().get("/sign-in", {"password": "hunter2", "username": "x"}).content.decode()
    assert "hunter2" not in shown
