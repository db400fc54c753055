"""A difference in a real browser: keys, permalinks, folds, a phone, assistive technology."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser import Watched, findings, serious
from tests.web import builders

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.django_db(transaction=True)]
Browser = Callable[..., Watched]

OLD = "".join(f"line_{number} = {number}\n" for number in range(60))
NEW = OLD.replace("line_20 = 20", "line_20 = 21").replace("line_50 = 50", "line_50 = call(50)")


def a_difference(old: str = OLD, new: str = NEW) -> str:
    run = builders.make_run()
    a, b = (builders.add_policy(run, one, name=f"p{n}") for n, one in enumerate((old, new)))
    return f"/policies/{a.pk}/diff/{b.pk}"


@pytest.fixture
def reader(open_browser: Browser, person: Any) -> Watched:
    person("viewer")
    browser = open_browser()
    browser.sign_in("viewer")
    return browser


def focused(browser: Watched) -> str:
    return str(browser.page.evaluate("document.activeElement.id"))


def test_n_and_p_go_from_change_to_change_and_say_so(reader: Watched) -> None:
    reader.open(a_difference())
    page = reader.page
    page.keyboard.press("n")
    assert focused(reader) == "change-1"
    page.keyboard.press("n")
    assert focused(reader) == "change-2"
    page.wait_for_selector("[role=status]:has-text('Change 2 of 2: looks like behaviour')")
    page.keyboard.press("n")
    page.wait_for_selector("[role=status]:has-text('This is the last change')")
    page.keyboard.press("p")
    assert focused(reader) == "change-1"


def test_j_and_k_walk_the_lines_without_the_folded_ones(reader: Watched) -> None:
    reader.open(a_difference() + "#B21")
    page = reader.page
    page.keyboard.press("j")
    assert focused(reader) == "B22"
    page.wait_for_selector("[role=status]:has-text('line_21 = 21')")
    for _ in range(3):
        page.keyboard.press("j")
    assert focused(reader) == "B48"
    page.keyboard.press("k")
    assert focused(reader) == "B24"


def test_no_key_acts_while_somebody_types_or_holds_a_modifier(reader: Watched) -> None:
    reader.open(a_difference())
    page = reader.page
    page.focus("#pick-a")
    page.keyboard.press("n")
    assert focused(reader) == "pick-a"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Control+n")
    page.keyboard.press("Alt+n")
    assert not focused(reader).startswith("change-")
    page.keyboard.press("?")
    page.keyboard.press("n")
    assert page.locator("dialog[open]").count() == 1
    assert not focused(reader).startswith("change-")


def test_a_bracket_typed_with_alt_gr_is_that_key(reader: Watched) -> None:
    # Many keyboards type brackets with AltGr, which browsers report as Ctrl and Alt together.
    run = builders.populated_run(iterations=3)
    policies = list(run.policies.all())
    reader.open(f"/policies/{policies[-2].pk}/diff/{policies[-1].pk}")
    press = (
        "document.dispatchEvent(new KeyboardEvent('keydown', {key: '[', ctrlKey: true,"
        " altKey: true, modifierAltGraph: true, bubbles: true}))"
    )
    with reader.page.expect_navigation():
        reader.page.evaluate(press)
    assert reader.page.url.endswith(f"/policies/{policies[-3].pk}/diff/{policies[-2].pk}?")


def test_the_help_is_a_dialog_that_can_switch_the_keys_off_and_gives_the_focus_back(
    reader: Watched,
) -> None:
    reader.open(a_difference())
    page = reader.page
    page.focus("#pick-b")
    page.evaluate("document.activeElement.blur()")
    page.focus("text=Show all lines")
    page.keyboard.press("?")
    assert page.locator("dialog[open] >> text=Next change").count() == 1
    page.uncheck("dialog input[type=checkbox]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.evaluate("document.activeElement.textContent") == "Show all lines"
    page.keyboard.press("n")
    assert not focused(reader).startswith("change-")
    page.reload()
    page.keyboard.press("?")
    page.check("dialog input[type=checkbox]")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    assert focused(reader) == "change-1"


def test_a_link_to_lines_in_a_fold_opens_it_and_marks_the_whole_range(reader: Watched) -> None:
    reader.open(a_difference() + "#B3-B9")
    page = reader.page
    assert page.locator(".fold[open]").count() == 1
    assert page.locator(".ln.hit").count() == 7
    assert focused(reader) == "B3"
    page.evaluate("location.hash = '#A30-A31'")
    page.wait_for_selector("#A30.hit")
    assert page.locator("#A30").is_visible()


def test_a_link_that_is_followed_twice_opens_its_fold_again(reader: Watched) -> None:
    reader.open(a_difference() + "#B5")
    page = reader.page
    page.evaluate(
        "document.querySelector('h1').insertAdjacentHTML('beforeend', '<a id=again href=#B5>5</a>')"
    )
    page.click("#fold-1 > summary")
    assert not page.locator("#B5").is_visible()
    page.click("#again")
    page.wait_for_selector("#fold-1[open]")
    assert page.locator("#B5").is_visible()


def test_a_range_and_its_link_are_had_without_a_mouse(reader: Watched) -> None:
    reader.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    reader.open(a_difference())
    page = reader.page
    page.focus("#B20")
    page.keyboard.press("Enter")
    page.keyboard.press("j")
    page.keyboard.press("Shift+Enter")
    assert page.url.endswith("#B20-B21")
    page.keyboard.press("y")
    page.wait_for_selector("[role=status]:has-text('Link to the lines copied')")
    assert page.evaluate("navigator.clipboard.readText()").endswith("#B20-B21")


def test_switching_the_view_keeps_the_marked_lines(reader: Watched) -> None:
    reader.open(a_difference() + "#B21")
    page = reader.page
    page.keyboard.press("u")
    page.wait_for_selector(".diff-unified")
    assert page.url.endswith("view=unified#B21")
    page.keyboard.press("u")
    page.wait_for_selector(".diff-split #B21.hit")


def test_both_ends_of_a_moved_block_lead_to_one_another(reader: Watched) -> None:
    block = "def count(seen):\n    total = sum(seen)\n    return total / len(seen)\n"
    stay = "".join(f"keep_{n} = {n}\n" for n in range(9))
    reader.open(a_difference(block + stay, stay + block))
    page = reader.page
    page.click("text=moved to line 10")
    page.wait_for_selector("#B10.hit")
    assert page.locator(".ln.hit").count() == 3
    page.click("text=moved from line 1")
    page.wait_for_selector("#A1.hit")


def test_a_phone_shows_one_column_and_nothing_scrolls_sideways(
    open_browser: Browser, person: Any
) -> None:
    person("viewer")
    run = builders.populated_run(iterations=2)
    candidate = run.candidates.filter(parent__isnull=False).last()
    last = run.policies.last()
    assert candidate is not None
    assert last is not None
    pages = [
        a_difference(),
        a_difference() + "?view=unified&folds=open",
        a_difference("x = " + "(" * 3000 + "\n", "x = " + "[" * 3000 + "\n"),
        f"/candidates/{candidate.parent_id}/diff/{candidate.pk}",
        f"/candidates/{candidate.pk}/history",
        f"/policies/diff?b={last.pk}",
    ]
    for width, scheme in ((1280, "light"), (390, "dark"), (390, "light"), (1280, "dark")):
        browser = open_browser(width, 844, color_scheme=scheme)
        browser.sign_in("viewer")
        assert findings(browser, pages) == []
    browser.open(pages[0])
    browser = open_browser(390, 844)
    browser.sign_in("viewer")
    for attempt in range(4, 10):
        builders.add_candidate(run, 2, attempt + 10, parent=candidate)
    browser.open(pages[3])
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.page.evaluate(wide) == 0  # however many attempts the strip holds
    browser.open(pages[0])
    old, new = (browser.page.locator(f".drow.changed .src.{side}").first for side in ("old", "new"))
    above, below = old.bounding_box(), new.bounding_box()
    assert above["x"] == below["x"]
    assert above["y"] < below["y"]


def test_the_help_dialog_is_accessible(reader: Watched) -> None:
    reader.open(a_difference())
    reader.page.keyboard.press("?")
    assert serious(reader.page) == []
