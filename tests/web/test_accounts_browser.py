"""The pages of people, teams and one's own account in a browser."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from csro_web.accounts import tokens
from csro_web.accounts.models import Role, Scope, Team, User
from tests.web import builders

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_administrator_adds_somebody_who_chooses_a_password_and_makes_a_token(
    open_browser: Callable[..., Any], person: Callable[[str], User]
) -> None:
    person(Role.ADMINISTRATOR)
    Team.objects.create(name="Finance audit", slug="finance-audit")
    browser = open_browser()
    page = browser.page
    browser.sign_in("administrator")
    browser.open("/people")
    page.fill("#id_username", "eva")
    page.select_option("#id_role", "reviewer")
    page.check("text=Finance audit")
    keep(page, "people")
    page.click("text=Add, and show the password once")
    password = page.inner_text(".once")
    keep(page, "once")
    other = open_browser(width=390, height=800)
    other.open("/sign-in")
    other.page.fill("#id_username", "eva")
    other.page.fill("#id_password", password)
    other.page.click("main button")
    other.page.wait_for_selector("h1:has-text('Choose your own password')")
    keep(other.page, "password")
    other.page.fill("#id_old_password", password)
    for name in ("1", "2"):
        other.page.fill(f"#id_new_password{name}", "a long phrase of its own 7")
    other.page.click("text=Change it")
    other.page.wait_for_selector("h1:has-text('My account')")
    other.page.fill("#id_name", "nightly")
    other.page.click("text=Make the token")
    assert other.page.inner_text(".once").startswith("csro_")
    keep(other.page, "account")
    other.page.set_viewport_size({"width": 1280, "height": 850})
    keep(other.page, "account-wide")
    run = builders.populated_run(iterations=1)
    for address in ("teams", f"teams/{Team.objects.get().pk}", f"runs/{run.pk}/team", "people/1"):
        browser.open(f"/{address}")
        keep(page, address.replace("/", "-"))


def test_on_a_phone_every_row_can_be_read_without_moving_a_table_sideways(
    open_browser: Callable[..., Any], person: Callable[[str], User]
) -> None:
    administrator = person(Role.ADMINISTRATOR)
    for number, role in enumerate([Role.VIEWER, Role.REVIEWER, Role.APPROVER]):
        team = Team.objects.create(name=f"Auditors of settlement {number}", slug=f"settle-{number}")
        long = User.objects.create_user(f"bartholomew.featherstonehaugh-{number}", role=role)
        team.members.set([long, administrator])
    User.objects.filter(role=Role.VIEWER).update(must_change_password=True)
    User.objects.filter(role=Role.APPROVER).update(is_active=False)
    for name, scopes in (("nightly export of the ledger", list(Scope)), ("ci", [Scope.READ])):
        made, _ = tokens.make(person=administrator, name=name, scopes=scopes)
    tokens.revoke(made, actor=administrator)
    form = {"username": "administrator", "password": "administrator"}
    Client(headers={"user-agent": "(Windows NT 10.0) Firefox/140.0"}).post("/sign-in", form)
    browser = open_browser(width=390, height=800)
    browser.sign_in("administrator")
    pages = ("people", "teams", "account", f"people/{administrator.pk}", f"teams/{team.pk}")
    for address in (*pages, "account/email", "account/password"):
        browser.open(f"/{address}")
        for scheme in ("light", "dark"):
            browser.page.emulate_media(color_scheme=scheme)
            keep(browser.page, f"phone-{scheme}-{address.replace('/', '-')}")
        assert browser.page.evaluate(SIDEWAYS) == [], address


SIDEWAYS = """() => [document.documentElement, ...document.querySelectorAll(".scroll")]
    .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.outerHTML.slice(0, 80))"""


def keep(page: Any, name: str) -> None:
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)
