"""The queue, the search and the policy's page in a real browser: keys, phones, accessibility."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from csro_web.policies.models import Policy
from csro_web.runs import weights
from csro_web.runs.weights import Mixture
from csro_web.search import services
from tests.browser import Watched, findings
from tests.web import builders

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.django_db(transaction=True)]
Browser = Callable[..., Watched]


def a_queue() -> list[Policy]:
    run = builders.populated_run(iterations=2, state="finished")
    builders.add_policy(run, "x = 1\n" * 30, name="joined last", faults={"exception": 2})
    weights.save(
        run,
        Mixture(tuple(run.final_sigma), tuple(run.final_sigma_low), tuple(run.final_sigma_high)),
    )
    services.remember(dict(run.policies.values_list("sha256", "source")))
    return list(run.policies.order_by("-urgency", "-weight", "-pk"))


def test_the_desk_works_for_everybody_on_every_screen(open_browser: Browser, person: Any) -> None:
    person("viewer")
    first = a_queue()[0]
    pages = ["/reviews", "/search", "/search?q=favourite+seen", f"/policies/{first.pk}"]
    for width, scheme in ((1280, "light"), (390, "dark"), (390, "light"), (1280, "dark")):
        browser = open_browser(width, 844, color_scheme=scheme)
        browser.sign_in("viewer")
        assert findings(browser, pages) == []


def test_a_reviewer_walks_the_queue_and_finds_a_line_by_keyboard(
    open_browser: Browser, person: Any
) -> None:
    person("viewer")
    policies = a_queue()
    browser = open_browser()
    browser.sign_in("viewer")
    page = browser.page
    browser.open(f"/policies/{policies[0].pk}")
    for policy in policies[1:3]:
        with page.expect_navigation():
            page.keyboard.press(".")
        assert page.url.endswith(f"/policies/{policy.pk}")
    with page.expect_navigation():
        page.keyboard.press(",")
    assert page.url.endswith(f"/policies/{policies[1].pk}")
    browser.open("/search")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("habits last")
    page.keyboard.press("Enter")
    page.click(".results .line.found a.ln >> nth=0")
    page.wait_for_selector(".line.hit:has-text('habits last')")
