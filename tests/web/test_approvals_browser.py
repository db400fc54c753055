"""The approval page in a real browser: a re-evaluation that is watched, a decision, a phone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from csro_web.accounts.models import User
from csro_web.approvals import decisions
from csro_web.approvals.models import Approval, Reevaluation
from csro_web.jobs import work
from csro_web.runs.models import RunState
from csro_web.runs.worker import Worker
from oracles import config
from tests.browser import Watched, serious
from tests.web import builders

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.needs("chromium"),
]
PATIENCE = 90_000
"""Milliseconds that a page may take on a busy machine."""


@pytest.fixture(autouse=True)
def _small(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.SIGNING_KEY_FILE = str(tmp_path / "signing-key.pem")
    monkeypatch.setitem(config._GAME_DEFAULTS["rrps"], "evaluation_episodes", 2)


def worked_on(asked: Reevaluation) -> threading.Thread:
    """A worker of its own does the job, as beside a running server."""

    def do() -> None:
        worker = Worker(engine_workers=1, announce=False)
        try:
            work.perform(asked.job_id, worker)
        finally:
            worker.close()
            connection.close()

    thread = threading.Thread(target=do)
    thread.start()
    return thread


def test_an_approver_watches_a_re_evaluation_and_decides(
    open_browser: Callable[..., Watched], person: Callable[[str], User]
) -> None:
    run = builders.populated_run(state=RunState.FINISHED, iterations=2)
    policy = run.policies.last()
    person("approver")
    browser = open_browser()
    browser.page.set_default_timeout(PATIENCE)
    browser.sign_in("approver")
    browser.open(f"/policies/{policy.pk}/approval")
    assert browser.page.is_disabled("button:has-text('Approve')")
    browser.page.click("button:has-text('Re-evaluate')")
    browser.page.wait_for_selector(".job")
    thread = worked_on(Reevaluation.objects.get())
    browser.page.wait_for_selector("table.claims", timeout=2 * PATIENCE)
    thread.join()
    assert browser.page.locator("table.claims tbody tr").count() == 6
    assert serious(browser.page) == []

    browser.page.fill("#id_reason", "I followed it line by line.")
    browser.page.reload()
    assert browser.page.input_value("#id_reason") == "I followed it line by line."
    browser.page.click("button:has-text('Approve')")
    browser.page.wait_for_selector(".note-success")
    assert Approval.objects.get().statement == "I followed it line by line."
    assert browser.page.input_value("#id_reason") == ""
    assert serious(browser.page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_fit_a_phone_in_both_schemes(
    open_browser: Callable[..., Watched], person: Callable[[str], User], scheme: str
) -> None:
    run = builders.populated_run(state=RunState.FINISHED, iterations=1)
    policy = run.policies.last()
    decisions.reject(policy=policy, person=person("administrator"), reason="It stalls.\n" * 5)
    browser = open_browser(390, 800, color_scheme=scheme)
    browser.sign_in(person("approver").username)
    for address in (f"/policies/{policy.pk}/approval", "/approvals?show=all"):
        browser.open(address)
        assert browser.page.evaluate("document.documentElement.scrollWidth") <= 390, address
        assert serious(browser.page) == [], address
