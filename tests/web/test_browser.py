"""The pages in a real browser: a whole journey, a phone, accessibility, and the live page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from csro_web.runs.models import Run, RunState
from tests.browser import Watched, findings
from tests.web import builders

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.django_db(transaction=True)]
Browser = Callable[..., Watched]


def changed(run: Run, **fields: Any) -> None:
    run.refresh_from_db()
    Run.objects.filter(pk=run.pk).update(change=run.change + 1, **fields)


def finished(run: Run) -> None:
    run.refresh_from_db()
    builders.finish(run)
    changed(run, state=RunState.FINISHED, ended_at=timezone.now())


def test_a_person_launches_watches_reads_and_compares(open_browser: Browser, person: Any) -> None:
    person("operator")
    browser = open_browser()
    browser.sign_in("operator")
    page = browser.page
    page.click("text=Launch the first run")
    page.fill("#id_iterations", "2")
    page.wait_for_selector("#estimate >> text=at most 20")
    page.click("button:has-text('Launch')")
    page.wait_for_selector(".badge-queued")
    run = Run.objects.get()
    for source in builders.get_game("rrps").initial_population():
        builders.add_cells(builders.add_policy(run, source.source, name=source.name))
    builders.add_iteration(run, 1)
    builders.add_iteration(run, 2)
    changed(run, state=RunState.RUNNING, started_at=timezone.now())
    page.wait_for_selector(".badge-running")
    page.wait_for_selector("svg.heatmap a.cell")
    page.click("#live-weights >> text=best response 1")
    page.wait_for_selector("h1:has-text('best response 1')")
    page.click("#L5 a.ln")
    page.click("#L9 a.ln", modifiers=["Shift"])
    assert page.url.endswith("#L5-L9")
    assert page.locator(".line.hit").count() == 5
    page.reload()
    assert page.locator(".line.hit").count() == 5
    page.click("text=Compare with win_stay_lose_shift")
    page.click("text=Later step")
    page.wait_for_selector("h1:has-text('best response 2')")
    assert page.locator(".diff mark").count() > 0
    page.click("text=Unified")
    assert page.locator(".urow.added").count() > 0
    page.click(".fold summary")
    assert page.locator(".fold[open]").count() == 1


def test_the_page_follows_the_run_and_stops_polling_at_its_end(
    open_browser: Browser, person: Any
) -> None:
    person("viewer")
    run = builders.populated_run()
    browser = open_browser()
    browser.sign_in("viewer")
    browser.open(f"/runs/{run.pk}")
    changed(run, steps_done=44)
    browser.page.wait_for_selector("text=44 of at most")
    finished(run)
    browser.page.wait_for_selector("#live-status .badge-finished")
    browser.page.wait_for_selector("text=Held-out evaluation")
    assert browser.page.get_attribute("#live-poll", "data-live") == "over"
    asked = browser.polls()
    browser.page.wait_for_timeout(3500)
    assert browser.polls() == asked


def test_polling_takes_nothing_out_of_the_readers_hands(open_browser: Browser, person: Any) -> None:
    person("operator")
    run = builders.populated_run()
    browser = open_browser()
    browser.sign_in("operator")
    page = browser.page
    browser.open(f"/runs/{run.pk}")
    page.click("#payoff-table summary")
    page.click("#confirm-cancel summary")
    page.focus("#do-pause")
    changed(run, steps_done=45)
    page.wait_for_selector("text=45 of at most")
    assert page.evaluate("document.activeElement.id") == "do-pause"
    assert page.locator("#confirm-cancel[open]").count() == 1
    assert page.locator("#payoff-table[open]").count() == 1
    select = "getSelection().selectAllChildren(document.querySelector('#live-status h1'))"
    page.evaluate(select)
    polled = browser.polls()
    changed(run, steps_done=46)
    while browser.polls() < polled + 3:
        page.wait_for_timeout(200)
    assert page.evaluate("String(getSelection())").strip() == str(run)
    page.evaluate("getSelection().removeAllRanges()")
    page.wait_for_selector("text=46 of at most")


def test_a_lost_session_is_told_on_the_live_page_and_polling_stops(
    open_browser: Browser, person: Any
) -> None:
    person("viewer")
    run = builders.populated_run(iterations=1)
    browser = open_browser()
    browser.sign_in("viewer")
    browser.open(f"/runs/{run.pk}")
    browser.page.context.clear_cookies()
    browser.page.wait_for_selector("text=You are signed out")
    asked = browser.polls()
    browser.page.wait_for_timeout(3500)
    assert browser.polls() == asked
    assert browser.page.locator("svg.heatmap").count() == 1


def all_pages(run: Run) -> list[str]:
    policy, candidate = run.policies.last(), run.candidates.last()
    return [
        "/",
        "/runs/new",
        f"/runs/{run.pk}",
        f"/runs/{run.pk}/candidates",
        f"/policies/{policy.pk}",
        f"/policies/{policy.pk - 1}/diff/{policy.pk}",
        f"/policies/{policy.pk - 1}/diff/{policy.pk}?view=unified",
        f"/candidates/{candidate.pk}",
        f"/matches/{run.cells.last().match_id}",
        "/nowhere",
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_scrolls_sideways_on_a_phone_or_has_a_serious_accessibility_finding(
    scheme: str, open_browser: Browser, person: Any
) -> None:
    person("operator")
    run = builders.populated_run(iterations=1, state="finished", sandbox_level="kernel")
    browser = open_browser(390, 844, color_scheme=scheme)
    browser.sign_in("operator")
    assert findings(browser, all_pages(run)) == []


def test_markup_in_a_policy_does_nothing_in_a_browser(open_browser: Browser, person: Any) -> None:
    person("viewer")
    attack = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    run = builders.make_run(name=attack)
    policy = builders.add_policy(
        run, f"# {attack}\nclass Policy:\n    '''{attack}'''\n", name=attack
    )
    browser = open_browser()
    browser.sign_in("viewer")
    for address in ("/", f"/runs/{run.pk}", f"/policies/{policy.pk}"):
        browser.open(address)
        assert browser.page.title() != "owned"
        assert browser.page.locator("main img").count() == 0
        assert browser.page.get_by_text("<script>document.title").count() > 0


def test_the_estimate_follows_what_was_typed_before_the_scripts_arrived(
    open_browser: Browser, person: Any
) -> None:
    person("operator")
    browser = open_browser()
    browser.sign_in("operator")
    page = browser.page
    held: list[Any] = []
    page.route("**/htmx*.js", lambda route: held.append(route))
    with page.expect_request("**/htmx*.js"):
        page.goto(f"{browser.address}/runs/new", wait_until="commit")
    page.fill("#id_iterations", "2")
    for route in held:
        route.continue_()
    page.wait_for_selector("#estimate >> text=at most 20")


def test_the_form_shows_what_matters_and_loses_no_prompt_with_the_session(
    open_browser: Browser, person: Any
) -> None:
    person("operator")
    browser = open_browser()
    browser.sign_in("operator")
    page = browser.page
    browser.open("/runs/new")
    assert page.is_hidden("#group-prompts")
    page.select_option("#id_writer", "manual")
    page.click("#group-prompts summary")
    builtin = page.input_value("#id_prompt_system")
    page.fill("#id_prompt_system", "Write little.\n" * 300)
    page.click("[data-builtin-for=id_prompt_system]")
    assert page.input_value("#id_prompt_system") == builtin
    page.fill("#id_prompt_system", "Write little.\n" * 300)
    page.context.clear_cookies(name="sessionid")
    page.click("button:has-text('Launch')")
    page.fill("#id_username", "operator")
    page.fill("#id_password", "operator")
    page.click("main button")
    page.wait_for_selector("h1:has-text('Launch a run')")
    assert page.input_value("#id_writer") == "manual"
    assert page.input_value("#id_prompt_system") == "Write little.\n" * 300
    page.click("button:has-text('Launch')")
    page.wait_for_selector(".badge-queued")
    assert Run.objects.get().config["prompts"] == {"system": "Write little.\n" * 300}
