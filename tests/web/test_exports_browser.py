"""From a finished run to the downloaded, signed and printed bundle, in a real browser."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from csro_web import signing
from csro_web.approvals import decisions
from csro_web.bundles.reading import read_bundle
from csro_web.exports.models import Export
from csro_web.jobs import work
from csro_web.runs.models import RunState
from csro_web.runs.worker import Worker
from tests.approvals.conftest import with_result
from tests.browser import Watched, serious
from tests.web import builders

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.django_db(transaction=True)]
WATERMARK = b"160 Tf"
"""120 pt: the size of the word DRAFT across a page, and of nothing else."""


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY_FILE = str(tmp_path / "signing-key.pem")


def test_an_operator_exports_what_an_approver_approved(
    open_browser: Callable[..., Watched], person: Any, tmp_path: Path
) -> None:
    run = builders.populated_run(
        state=RunState.FINISHED, name="audited", iterations=2, evaluation_episodes=2
    )
    best = with_result(run.policies.order_by("index").last())
    decisions.approve(
        policy=best, person=person("approver"), seen_sha256=best.sha256, statement="Read it all."
    )
    person("operator")
    browser = open_browser()
    browser.sign_in("operator")
    browser.open(f"/runs/{run.pk}")
    browser.page.click("main a.button:text-is('Export')")
    browser.page.wait_for_selector("text=What leaving the others out costs")
    assert serious(browser.page) == []
    browser.page.click("main button:text-is('Export')")
    browser.page.wait_for_selector("text=Waiting for a worker")
    assert serious(browser.page) == []
    export = Export.objects.get()
    worker = Worker(engine_workers=2, announce=False)
    try:
        assert work.perform(export.job_id, worker) is work.Outcome.SAVED  # type: ignore[arg-type]
    finally:
        worker.close()
    browser.page.wait_for_selector("text=How its receiver checks it", timeout=60_000)
    assert serious(browser.page) == []
    with browser.page.expect_download() as download:
        browser.page.click("main a:has-text('Download')")
    download.value.save_as(tmp_path / download.value.suggested_filename)
    data = (tmp_path / f"csro-export-run-{run.pk}.zip").read_bytes()
    bundle = read_bundle(data, keys=[signing.public_key()])
    assert bundle.trusted
    assert [one.sha256 for one in bundle.policies] == [best.sha256]
    phone = open_browser(390, 844)
    phone.sign_in("operator")
    for address in ("/exports", f"/exports/{export.pk}", f"/runs/{run.pk}/export"):
        phone.open(address)
        assert serious(phone.page) == [], address
        wide = phone.page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide, address
    assert pages_and_watermarks(phone, bundle.members["report.html"], tmp_path)[1] == 0
    draft = bundle.members["report.html"].replace(
        b"<main>", b'<div class="watermark" aria-hidden="true">DRAFT</div><main>'
    )
    pages, marks = pages_and_watermarks(phone, draft, tmp_path)
    assert pages == marks >= 3


def pages_and_watermarks(browser: Watched, report: bytes, directory: Path) -> tuple[int, int]:
    """Of the report when it is printed on A4."""
    (directory / "report.html").write_bytes(report)
    page = browser.page.context.browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto((directory / "report.html").as_uri())
    pdf = page.pdf(prefer_css_page_size=True, print_background=True)
    assert page.evaluate("document.fonts.status") == "loaded"
    page.close()
    assert said == []
    packed = re.findall(rb"stream\r?\n(x.+?)\r?\nendstream", pdf, re.S)
    streams = [zlib.decompress(part) for part in packed]
    return len(re.findall(rb"/Type\s*/Page\b", pdf)), sum(WATERMARK in part for part in streams)
