"""Reviewing in a real browser: by mouse, by keyboard alone, over a lost session and an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from csro_web.accounts.models import Role
from csro_web.policies.models import Policy
from csro_web.reviews import comment_views
from csro_web.reviews.models import Comment, Review, Thread
from tests.browser import Watched, findings
from tests.web import builders
from tests.web.review_builders import add_thread, refine

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.django_db(transaction=True)]
Browser = Callable[..., Watched]
BOX = "form.comment-box:not(details form) textarea"


@pytest.fixture
def policy(person: Any) -> Policy:
    person(Role.REVIEWER)
    return builders.add_policy(builders.make_run(), builders.FIRST, name="first")


def opened(open_browser: Browser, policy: Policy, **options: Any) -> Watched:
    browser = open_browser(**options)
    browser.sign_in("reviewer")
    browser.open(f"/policies/{policy.pk}")
    return browser


def test_lines_are_chosen_by_mouse_commented_kept_while_typing_and_published(
    open_browser: Browser, policy: Policy
) -> None:
    page = opened(open_browser, policy).page
    page.click("#L10 .ln")
    page.click("#L12 .ln", modifiers=["Shift"])
    page.click("text=Comment on lines 10 to 12")
    page.keyboard.type("Why start with nothing?")
    page.wait_for_selector("[data-kept]")
    assert Comment.objects.get().body == "Why start with nothing?"
    page.reload()
    assert page.input_value(BOX) == "Why start with nothing?"
    page.click("text=Finish my review (1 draft)")
    page.fill("#body", "One question.")
    page.check("input[value=changes_requested]")
    page.wait_for_selector("#kept-review [data-kept]")
    page.click("text=Publish the review")
    page.wait_for_selector("text=Your review is published")
    thread = Thread.objects.get()
    assert (thread.first_line, thread.last_line) == (10, 12)
    assert Review.objects.get().verdict == "changes_requested"
    assert page.evaluate("Object.keys(localStorage).filter(k => k.startsWith('csro-text'))") == []


def test_everything_is_done_with_the_keyboard_alone(open_browser: Browser, policy: Policy) -> None:
    page = opened(open_browser, policy).page
    for key in ("j", "j", "j", "J", "J"):
        page.keyboard.press(key)
    assert page.evaluate("location.hash") == "#L3-L5"
    page.wait_for_selector("p[role=status]:has-text('lines 3 to 5')", state="attached")
    page.keyboard.press("c")
    page.keyboard.type("A question with c, n and ? in it")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "now"
    page.keyboard.press("Enter")
    page.wait_for_selector("article.thread")
    thread = Thread.objects.get()
    assert page.evaluate("document.activeElement.id") == f"thread-{thread.pk}"
    page.keyboard.press("r")
    page.keyboard.type("And an answer.")
    page.wait_for_selector("[data-kept]")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=And an answer.")
    assert page.evaluate("document.activeElement.id") == f"thread-{thread.pk}"
    page.keyboard.press("e")
    page.wait_for_selector("article.thread-resolved")
    assert page.evaluate("document.activeElement.id") == f"thread-{thread.pk}"
    page.keyboard.press("?")
    page.wait_for_selector("dialog >> text=Comment on the chosen lines")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.id") == f"thread-{thread.pk}"
    assert thread.comments.count() == 2


def test_control_and_enter_send_what_one_writes_and_the_help_says_so(
    open_browser: Browser, policy: Policy
) -> None:
    page = opened(open_browser, policy).page
    page.keyboard.press("?")
    page.wait_for_selector("dialog >> text=While you write: add it to your review")
    page.keyboard.press("Escape")
    page.click("#L10 .ln")
    page.click("text=Comment on line 10")
    page.keyboard.type("First words")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("text=Kept in your review")
    assert page.input_value(BOX) == "First words"
    page.fill(BOX, "Better words")
    assert page.inner_text("form.comment-box:not(details form) .button-main") == "Update my draft"
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    page.click("text=Finish my review (1 draft)")
    page.focus("#body")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("text=Your review is published")
    assert [one.body for one in Comment.objects.all()] == ["Better words"]


def test_a_session_that_ends_while_somebody_writes_loses_nothing(
    open_browser: Browser, policy: Policy
) -> None:
    """As people reported of another site: the comment was sent, and gone, after a time-out."""
    browser = opened(open_browser, policy)
    page = browser.page
    page.click("#L10 .ln")
    page.click("text=Comment on line 10")
    end_session(page)
    page.keyboard.type("Written for an hour")
    page.wait_for_selector("text=You are signed out")
    page.click("text=Sign in and come back")
    sign_in(page)
    page.wait_for_selector("text=Written for an hour")
    page.click("text=Put it back")
    page.wait_for_selector("[data-kept]")
    assert Comment.objects.get().body == "Written for an hour"
    assert Thread.objects.get().first_line == 10


def test_a_form_that_is_sent_after_the_session_ended_shows_its_text_and_the_way_on(
    open_browser: Browser, policy: Policy
) -> None:
    browser = opened(open_browser, policy)
    page = browser.page
    page.click("#L10 .ln")
    page.click("text=Comment on line 10")
    end_session(page)
    page.keyboard.type("Sent too late")
    page.click("form.comment-box >> text=Publish now")
    page.wait_for_selector("h1:has-text('signed out')")
    assert page.input_value("textarea") == "Sent too late"
    page.click("text=Sign in and come back")
    sign_in(page)
    page.click("text=Put it back")
    page.click("form.comment-box >> text=Publish now")
    page.wait_for_selector("article.thread")
    assert Comment.objects.get().body == "Sent too late"


def test_a_forged_or_old_form_shows_its_text(open_browser: Browser, policy: Policy) -> None:
    browser = opened(open_browser, policy)
    page = browser.page
    page.click("#L10 .ln")
    page.click("text=Comment on line 10")
    page.keyboard.type("From an earlier session")
    page.wait_for_selector("[data-kept]")
    page.evaluate(
        "document.querySelectorAll('[name=csrfmiddlewaretoken]')"
        ".forEach(e => e.value = 'x'.repeat(64))"
    )
    page.click("form.comment-box >> text=Publish now")
    page.wait_for_selector("h1:has-text('earlier session')")
    assert page.input_value("textarea") == "From an earlier session"


def test_an_error_of_the_server_loses_nothing(
    open_browser: Browser, policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("the disk is full")

    browser = opened(open_browser, policy)
    page = browser.page
    page.click("#L10 .ln")
    page.click("text=Comment on line 10")
    with monkeypatch.context() as broken:
        broken.setattr(comment_views.drafts, "open_thread", fail)
        page.keyboard.type("Just before the crash")
        page.wait_for_selector("text=Your text stays in this browser")
        page.click("form.comment-box >> text=Publish now")
        page.wait_for_selector("h1")
    browser.open(f"/policies/{policy.pk}")
    page.click("text=Put it back")
    page.wait_for_selector("[data-kept]")
    assert Comment.objects.get().body == "Just before the crash"


def end_session(page: Any) -> None:
    """As time does: the cookie against forged requests lives on."""
    page.context.clear_cookies(name="sessionid")


def sign_in(page: Any) -> None:
    page.fill("#id_username", "reviewer")
    page.fill("#id_password", "reviewer")
    page.click("main button")


def test_one_persons_text_is_not_offered_to_another_on_the_same_browser(
    open_browser: Browser, policy: Policy, person: Any
) -> None:
    person(Role.OPERATOR)
    browser = opened(open_browser, policy)
    page = browser.page
    page.evaluate(
        "id => localStorage.setItem(`csro-text:${id}:00000000-0000-4000-8000-000000000000`,"
        " JSON.stringify({text: 'secret', action: location.pathname + '/comments',"
        " at: Date.now(), first: '3', last: '3'}))",
        str(person(Role.REVIEWER).pk),
    )
    page.reload()
    page.wait_for_selector("text=secret")
    page.click("text=Sign out")
    browser.sign_in("operator")
    browser.open(f"/policies/{policy.pk}")
    page.wait_for_selector("#review-bar")
    assert page.query_selector("text=secret") is None


def test_a_comparison_takes_comments_on_either_side(open_browser: Browser, policy: Policy) -> None:
    later = refine(policy, builders.refined(builders.FIRST, 1), name="later")
    browser = open_browser()
    browser.sign_in("reviewer")
    browser.open(f"/policies/{policy.pk}/diff/{later.pk}?view=split")
    page = browser.page
    for side, number, text in (("A", 20, "Old?"), ("B", 21, "New?")):
        page.click(f"#{side}{number}")
        page.click(f"text=Comment on line {number}")
        page.keyboard.type(text)
        page.click("form.comment-box:not(details form) >> text=Publish now")
        page.wait_for_selector(f"article >> text={text}")
    old, new = Thread.objects.order_by("pk")
    assert (old.policy, old.side, old.other, old.first_line) == (policy, "old", later, 20)
    assert (new.policy, new.side, new.other, new.first_line) == (later, "new", policy, 21)


def test_pages_of_threads_have_nothing_serious_for_assistive_technology(
    open_browser: Browser, policy: Policy, person: Any
) -> None:
    later = refine(policy, builders.refined(builders.FIRST, 1), name="later")
    thread = add_thread(policy, person(Role.REVIEWER), first=20, last=22, body="x " * 200)
    gone = add_thread(policy, person(Role.REVIEWER), first=3, last=3)
    Comment.objects.create(
        thread=thread,
        author=person(Role.REVIEWER),
        body="a draft",
        review=Review.objects.create(
            policy=policy, run=policy.run, author=person(Role.REVIEWER), sha256="0" * 64
        ),
    )
    addresses = [
        f"/policies/{policy.pk}",
        f"/policies/{later.pk}",
        f"/policies/{policy.pk}/diff/{later.pk}",
        f"/policies/{policy.pk}/threads",
        f"/policies/{policy.pk}/review",
        f"/runs/{policy.run_id}/threads",
        f"/threads/{gone.pk}",
        f"/threads/{thread.pk}?at={later.pk}",
        f"/reviews/{thread.review_id}",
        "/inbox",
    ]
    for scheme, width in (("light", 1280), ("dark", 390)):
        browser = open_browser(width=width, color_scheme=scheme)
        browser.sign_in("reviewer")
        assert findings(browser, addresses) == []


def test_on_a_phone_the_box_has_the_width_of_the_code(
    open_browser: Browser, policy: Policy
) -> None:
    page = opened(open_browser, policy, width=390, height=800).page
    page.click("#L10 .ln")
    page.click("text=Comment on line 10")
    box = page.locator("form.comment-box:not(details form)").bounding_box()
    assert box["width"] > 320
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


def test_without_javascript_a_form_takes_line_numbers(
    open_browser: Browser, policy: Policy
) -> None:
    page = opened(open_browser, policy, java_script_enabled=False).page
    page.click("text=Comment on lines by their numbers")
    page.fill("input[name=first]", "3")
    page.fill("details textarea", "Plain and simple")
    page.click("details >> text=Publish now")
    page.wait_for_selector("article >> text=Plain and simple")
    assert Thread.objects.get().first_line == 3
