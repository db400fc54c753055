"""The page of the trail for everybody: small screens, both schemes, assistive technology."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from csro_web.accounts.models import User
from csro_web.runs import services
from tests.browser import findings
from tests.web import builders

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
def test_nothing_serious_stands_in_the_way(
    scheme: str,
    width: int,
    open_browser: Callable[..., Any],
    person: Callable[[str], User],
) -> None:
    run = builders.make_run()
    services.pause_run(run, actor=person("administrator"), reason="a reason " * 30)
    browser = open_browser(width, 850, color_scheme=scheme)
    browser.sign_in("administrator")
    assert findings(browser, ["/audit", "/audit?action=run.paused"]) == []
    browser.page.click(".trail details summary >> nth=0")
    assert browser.page.locator(".trail details[open] dd").count() >= 4
