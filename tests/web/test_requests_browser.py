"""Answering in a real browser: the prompt is copied, the answer judged while it is typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from csro_web.accounts.models import Role
from csro_web.answers.models import Answer
from csro_web.runs.models import StepState
from csro_web.runs.worker import Worker
from tests.browser import Watched
from tests.web.test_requests import BROKEN, GOOD, manual_run, work

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.django_db(transaction=True)]
Browser = Callable[..., Watched]


def test_a_person_copies_the_prompt_pastes_an_answer_and_sends_it(
    open_browser: Browser, person: Any
) -> None:
    person(Role.REVIEWER)
    worker = Worker(engine_workers=1, announce=False)
    run = work(worker, manual_run(oracle="zero_shot"))
    browser = open_browser(permissions=["clipboard-read", "clipboard-write"])
    browser.sign_in("reviewer")
    page = browser.page
    page.click("nav >> text=More")
    page.click("nav >> text=Requests")
    page.click("text=iteration 1: writing proposal 1")
    page.wait_for_selector("h1:has-text('Iteration 1')")
    page.click("#copy-prompt")
    page.wait_for_selector("#copied:has-text('Copied')")
    assert "# How to answer" in page.evaluate("navigator.clipboard.readText()")
    page.fill("#answer", BROKEN)
    page.wait_for_selector("#verdict >> text=because of its line 2")
    page.fill("#answer", GOOD)
    page.wait_for_selector("#verdict >> text=This program can be played")
    page.reload()
    assert page.input_value("#answer") == GOOD
    assert not Answer.objects.filter(sent_at__isnull=False).exists()
    page.focus("#answer")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("text=The run goes on with your answer")
    assert not run.steps.filter(state=StepState.WAITING).exists()
    work(worker, run)
    worker.close()
    page.wait_for_selector(".badge-finished")


def test_a_draft_that_cannot_be_kept_is_said_and_stays_on_the_page(
    open_browser: Browser, person: Any
) -> None:
    person(Role.REVIEWER)
    worker = Worker(engine_workers=1, announce=False)
    run = work(worker, manual_run(oracle="zero_shot"))
    worker.close()
    step = run.steps.get(state=StepState.WAITING)
    browser = open_browser()
    browser.sign_in("reviewer")
    browser.open(f"/requests/{step.pk}")
    browser.page.context.clear_cookies()
    browser.page.fill("#answer", GOOD)
    browser.page.wait_for_selector("#verdict >> text=not kept")
    assert browser.page.input_value("#answer") == GOOD
