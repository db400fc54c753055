"""Editing in a real browser: Ace under the content policy, without a mouse, and what it keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.sessions.models import Session

from csro_web.accounts.models import Role
from csro_web.changes.edit_models import EditDraft, Trial
from csro_web.jobs import work
from csro_web.policies.models import Policy
from csro_web.runs.worker import Worker
from tests.browser import Watched, findings
from tests.web import builders

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.django_db(transaction=True)]
Browser = Callable[..., Watched]


@pytest.fixture
def policy(person: Any) -> Policy:
    person(Role.REVIEWER)
    run = builders.populated_run(iterations=1, state="finished")
    return run.policies.get(name="best response 1")


def open_editor(browser: Watched, policy: Policy) -> Any:
    browser.sign_in("reviewer")
    browser.open(f"/policies/{policy.pk}/edit")
    browser.page.wait_for_selector(".ace_line")
    return browser.page


def type_at_the_end(page: Any, text: str) -> None:
    page.locator(".ace_content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type(text)


def saved(page: Any, version: int) -> None:
    page.wait_for_selector(f"[name=version][value='{version}']", state="attached")


def test_the_editor_works_under_the_content_policy_and_keeps_what_is_typed(
    open_browser: Browser, policy: Policy
) -> None:
    browser = open_browser()
    page = open_editor(browser, policy)
    style = page.evaluate(
        "[getComputedStyle(document.querySelector('.ace_gutter')).position,"
        " getComputedStyle(document.querySelector('.ace_line .ace_keyword')).color,"
        " getComputedStyle(document.querySelector('.ace_editor')).color]"
    )
    assert style[0] == "absolute"
    assert style[1] != style[2]
    type_at_the_end(page, "# mine\n")
    saved(page, 1)
    assert EditDraft.objects.get().text == policy.source + "# mine\n"
    assert page.evaluate("Object.keys(localStorage).length") == 0
    page.reload()
    page.wait_for_selector(".ace_line")
    assert page.input_value("#source").endswith("# mine\n")
    assert page.locator("#kept-here").is_hidden()


def test_findings_stand_beside_their_line_and_in_a_live_region(
    open_browser: Browser, policy: Policy
) -> None:
    page = open_editor(open_browser(), policy)
    type_at_the_end(page, "def broken(:\n")
    page.wait_for_selector("#verdict[role=status] >> text=syntax error")
    line = policy.source.count("\n") + 1
    assert f"Line {line}" in page.inner_text("#verdict")
    page.wait_for_selector(".ace_gutter-cell .ace_error, .ace_gutter-cell.ace_error")
    marked = page.locator(".ace_gutter-cell:has(.ace_error), .ace_gutter-cell.ace_error")
    assert str(line) in marked.first.inner_text()


def test_the_keyboard_gets_in_and_out_again(open_browser: Browser, policy: Policy) -> None:
    page = open_editor(open_browser(), policy)
    inside = "document.activeElement.closest('#editor') !== null"
    writing = "document.activeElement.classList.contains('ace_text-input')"
    page.focus("#plain-switch")
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#editor .ace_scroller')"):
            break
    assert page.evaluate(inside)
    assert "press Enter" in page.evaluate("document.activeElement.ariaLabel")
    assert not page.evaluate(writing)
    page.keyboard.press("Enter")
    assert page.evaluate(writing)
    page.keyboard.type("x")
    page.keyboard.press("Tab")
    assert page.evaluate(writing), "Tab indents while one types"
    page.keyboard.press("Escape")
    assert not page.evaluate(writing)
    for _ in range(4):
        page.keyboard.press("Tab")
        if not page.evaluate(inside):
            break
    assert not page.evaluate(inside), "Esc and Tab leave the editor"
    assert page.inner_text("#edit-keys").startswith("Press Enter to type")


def test_a_plain_text_area_can_be_chosen_and_stays(open_browser: Browser, policy: Policy) -> None:
    page = open_editor(open_browser(), policy)
    page.click("#plain-switch")
    assert page.is_visible("#source")
    page.fill("#source", "class Policy: pass\n")
    saved(page, 1)
    page.reload()
    assert page.is_visible("#source")
    assert page.locator(".ace_line").count() == 0
    page.click("#plain-switch")
    page.wait_for_selector(".ace_line >> text=class")


def test_without_scripts_the_page_is_an_ordinary_form(
    open_browser: Browser, policy: Policy
) -> None:
    browser = open_browser(java_script_enabled=False)
    browser.sign_in("reviewer")
    browser.open(f"/policies/{policy.pk}/edit")
    page = browser.page
    page.fill("#source", policy.source + "# by hand\n")
    page.click("button:has-text('Show differences')")
    assert "1 added" in page.inner_text("#differences")
    page.click("#try")
    assert page.url.endswith(f"/trials/{Trial.objects.get().pk}")
    assert page.is_visible("text=Look again")


def test_what_an_expired_session_did_not_take_is_offered_after_signing_in(
    open_browser: Browser, policy: Policy
) -> None:
    browser = open_browser()
    page = open_editor(browser, policy)
    Session.objects.all().delete()
    type_at_the_end(page, "# typed signed out\n")
    page.wait_for_selector("#verdict >> text=You are signed out")
    browser.sign_in("reviewer")
    browser.open(f"/policies/{policy.pk}/edit")
    page.wait_for_selector("#kept-here >> text=never reached the server")
    assert not EditDraft.objects.exists()
    page.click("#kept-restore")
    saved(page, 1)
    assert EditDraft.objects.get().text.endswith("# typed signed out\n")
    page.reload()
    page.wait_for_selector(".ace_line")
    assert page.locator("#kept-here").is_hidden()


def test_a_commit_of_a_lost_session_comes_back_to_the_page_with_its_text(
    open_browser: Browser, person: Any, policy: Policy
) -> None:
    browser = open_browser()
    page = open_editor(browser, policy)
    page.route("**/edit/draft", lambda route: route.abort())
    type_at_the_end(page, "# not yet saved\n")
    Session.objects.all().delete()
    page.fill("#reason", "because")
    page.click("button:has-text('Commit')")
    page.fill("#id_username", "reviewer")
    page.fill("#id_password", "reviewer")
    page.click("main button")
    page.wait_for_selector("#kept-here:visible")
    page.unroute_all()
    page.click("#kept-restore")
    saved(page, 1)
    assert EditDraft.objects.get().text.endswith("# not yet saved\n")
    assert page.input_value("#reason") == "because"


@pytest.mark.parametrize("way", ["another session's protection", "an error", "no answer"])
def test_a_save_that_fails_is_said_and_the_browser_keeps_the_text(
    way: str, open_browser: Browser, policy: Policy
) -> None:
    browser = open_browser()
    page = open_editor(browser, policy)
    if way == "another session's protection":
        page.evaluate(
            "document.querySelector('#edit-form [name=csrfmiddlewaretoken]').value = 'x'.repeat(64)"
        )
    elif way == "an error":
        page.route("**/edit/draft", lambda route: route.fulfill(status=500, body="broken"))
    else:
        page.route("**/edit/draft", lambda route: route.abort())
    type_at_the_end(page, "# kept\n")
    page.wait_for_selector("#verdict >> text=This browser keeps your text")
    page.unroute_all()
    page.reload()
    page.wait_for_selector("#kept-here:visible")
    page.click("#kept-restore")
    saved(page, 1)
    assert EditDraft.objects.get().text.endswith("# kept\n")


def test_a_page_that_says_200_without_having_saved_is_not_believed(
    open_browser: Browser, policy: Policy
) -> None:
    page = open_editor(open_browser(), policy)
    page.route("**/edit/draft", lambda route: route.fulfill(status=200, body="<p>Welcome</p>"))
    type_at_the_end(page, "# kept\n")
    page.wait_for_selector("#verdict >> text=did not take the draft")
    assert "kept" in page.evaluate("JSON.stringify(localStorage)")


def test_two_tabs_do_not_overwrite_each_other(open_browser: Browser, policy: Policy) -> None:
    browser = open_browser()
    first = open_editor(browser, policy)
    second = first.context.new_page()
    second.goto(first.url)
    second.wait_for_selector(".ace_line")
    type_at_the_end(first, "# first\n")
    saved(first, 1)
    type_at_the_end(second, "# second\n")
    second.wait_for_selector("#verdict >> text=Both texts are kept")
    assert EditDraft.objects.get().text.endswith("# first\n")
    second.click("text=Open the newer draft")
    second.wait_for_selector("h2:has-text('Texts set aside')")
    second.click("#h-aside ~ details summary, section[aria-labelledby=h-aside] summary")
    second.click("text=Work on this text")
    second.wait_for_selector(".ace_line")
    assert second.input_value("#source").endswith("# second\n")


def test_an_edit_is_tried_while_one_looks_on(open_browser: Browser, policy: Policy) -> None:
    browser = open_browser()
    page = open_editor(browser, policy)
    type_at_the_end(page, "# tried\n")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("[data-trial] >> text=Waiting for a worker")
    worker = Worker(engine_workers=2, announce=False)
    work.perform(Trial.objects.get().job_id, worker)
    worker.close()
    page.wait_for_selector("[data-trial] >> text=Change against the mixture")
    page.wait_for_selector("#trial-said:has-text('against the mixture')", state="attached")
    page.wait_for_selector("#tried >> text=You tried this")
    before = browser.polls()
    page.wait_for_timeout(1500)
    assert browser.polls() == before
    assert page.input_value("#source").endswith("# tried\n")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_serious_is_found_and_nothing_scrolls_sideways(
    scheme: str, width: int, open_browser: Browser, policy: Policy
) -> None:
    browser = open_browser(width, 844, color_scheme=scheme)
    page = open_editor(browser, policy)
    type_at_the_end(page, "def broken(:\n")
    page.wait_for_selector("#verdict >> text=syntax error")
    assert findings(browser, [f"/policies/{policy.pk}/edit?diff=1"]) == []


def test_programs_are_brought_in_and_nothing_serious_is_found_on_the_way(
    open_browser: Browser, policy: Policy
) -> None:
    browser = open_browser(390, 844)
    browser.sign_in("reviewer")
    page = browser.page
    browser.open(f"/runs/{policy.run_id}")
    page.click("dd >> text=Add")
    address = page.url.removeprefix(browser.address)
    page.set_input_files(
        "#file", {"name": "new.py", "mimeType": "text/plain", "buffer": builders.FIRST.encode()}
    )
    page.click("section[aria-labelledby=h-upload] button")
    page.wait_for_selector("text=Can be played")
    assert page.input_value("[name=name-0]") == "new"
    assert findings(browser, [address, page.url.removeprefix(browser.address)]) == []
