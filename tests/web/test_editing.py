"""Editing a policy: nothing typed is lost, whatever other pages, people and servers do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from csro_web.accounts.models import Role
from csro_web.changes import edit_drafts
from csro_web.changes.edit_drafts import StaleDraft, Typed
from csro_web.changes.edit_models import EditDraft
from csro_web.policies.models import Origin, Policy
from tests.web import builders

pytestmark = pytest.mark.django_db

ODD = "\n\tclass\tPolicy:  \n    x = 'ä'   \n\n\n    pass\t\n\n"


@pytest.fixture
def policy() -> Policy:
    run = builders.make_run()
    builders.add_policy(
        run, "class Policy:\n    def act(self, obs):\n        return 0\n", name="rock"
    )
    return builders.add_policy(run, builders.FIRST, name="counter")


def draft(client: Client, policy: Policy, text: str, **more: Any) -> Any:
    sent = {"source": text, "version": "0", "tab": "one", "order": "1", **more}
    return client.post(f"/policies/{policy.pk}/edit/draft", sent, HTTP_HX_REQUEST="true")


def text_area(page: str) -> str:
    """What a browser takes from the text area: a line feed right after the tag is left out."""
    from html import unescape

    inner = page.split('hx-include="#edit-form">', 1)[1].split("</textarea>", 1)[0]
    return unescape(inner.removeprefix("\n"))


def test_the_page_begins_with_the_policy_and_goes_on_with_the_draft(
    policy: Policy, as_role: Callable[[str], Client]
) -> None:
    client = as_role(Role.REVIEWER)
    assert text_area(client.get(f"/policies/{policy.pk}/edit").content.decode()) == policy.source
    answer = draft(client, policy, "class Policy: pass")
    assert answer["X-Draft-Version"] == "1"
    client.logout()
    again = as_role(Role.REVIEWER)  # signed in anew, as on another device
    page = again.get(f"/policies/{policy.pk}/edit").content.decode()
    assert text_area(page) == "class Policy: pass"
    assert 'name="version" value="1"' in page


def test_tabs_blanks_and_empty_lines_stay_and_line_ends_become_one_kind(
    policy: Policy, as_role: Callable[[str], Client]
) -> None:
    client = as_role(Role.REVIEWER)
    draft(client, policy, ODD.replace("\n", "\r\n"))
    assert EditDraft.objects.get().text == ODD
    assert text_area(client.get(f"/policies/{policy.pk}/edit").content.decode()) == ODD


def test_a_page_without_scripts_saves_shows_differences_and_keeps_the_text(
    policy: Policy, as_role: Callable[[str], Client]
) -> None:
    client = as_role(Role.REVIEWER)
    changed = policy.source.replace("+ 1) % 3", "+ 2) % 3")
    sent = {"source": changed, "version": "0", "tab": "one", "order": "0", "diff": "1"}
    response = client.post(f"/policies/{policy.pk}/edit", sent, follow=True)
    page = response.content.decode()
    assert "What it changes" in page
    assert "1 changed" in page
    assert text_area(page) == changed


@pytest.mark.parametrize(
    ("text", "told", "line"),
    [
        ("class Policy:\n    def act(self, obs)\n        return 0\n", "syntax error, line 2", 2),
        ("import os\nclass Policy:\n    def act(self, obs): return 0\n", "import os is not", 1),
        ("class Policy:\n    pass\n", "no class with a method act", None),
        ("class Other:\n    def act(self, obs): return 0\n", "must be called Policy", 1),
        ("class Policy:\n    def act(self):\n        return 0\n", "act must take self", 2),
        ("x = '" + "y" * 70_000 + "'\n", "too long: 70007 bytes", None),
        ("\n\n", "there is no program yet", None),
        ("class Policy:\n    s = '\u202e'\n    def act(self, obs): return 0\n", "U+202E", 2),
        ("class Policy:\n    s = '\u200b'\n    def act(self, obs): return 0\n", "U+200B", 2),
        ("class Policy:\n    s = “a”\n    def act(self, obs): return 0\n", "line 2", 2),
        ("(" * 500 + ")" * 500, "too many nested parentheses", 1),
        ("x = " + "+".join(["1"] * 20_000), "nested too deeply", None),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_nothing_is_run(
    text: str, told: str, line: int | None, policy: Policy, as_role: Callable[[str], Client]
) -> None:
    response = draft(as_role(Role.REVIEWER), policy, text)
    page = response.content.decode()
    assert response.status_code == 200
    assert told in page
    assert f'data-line="{line or ""}"' in page
    assert EditDraft.objects.get().text == text


def test_code_with_an_effect_on_import_has_none_here(
    policy: Policy, as_role: Callable[[str], Client], tmp_path: Any
) -> None:
    mark = tmp_path / "ran"
    text = f"import math\nraise SystemExit({str(mark)!r})\n" + builders.FIRST
    assert draft(as_role(Role.REVIEWER), policy, text).status_code == 200
    assert not mark.exists()


def test_a_program_of_fences_and_edit_marks_is_taken_as_it_stands(policy: Policy) -> None:
    from oracles.handwritten import judge

    fenced = '"""\n```python\nclass Policy: pass\n```\n<<<<<<< SEARCH\n"""\n' + builders.FIRST
    found = judge(fenced)
    assert found.accepted
    assert found.source == fenced


def test_an_edit_that_is_there_already_is_named_with_a_link(
    policy: Policy, as_role: Callable[[str], Client]
) -> None:
    other = policy.run.policies.get(name="rock")
    page = draft(as_role(Role.REVIEWER), policy, other.source).content.decode()
    assert f'<a href="/policies/{other.pk}">rock</a>' in page
    unchanged = draft(as_role(Role.REVIEWER), policy, policy.source, order="2").content.decode()
    assert "Nothing is changed yet" in unchanged


def test_a_stale_page_is_told_and_both_texts_are_kept(
    policy: Policy, as_role: Callable[[str], Client]
) -> None:
    client = as_role(Role.REVIEWER)
    draft(client, policy, "first page", tab="one")
    draft(client, policy, "second page", tab="two", version="1", order="5")
    stale = draft(client, policy, "first page, later", tab="one", version="1", order="9")
    assert stale.status_code == 409
    assert "X-Draft-Version" not in stale
    assert "Both texts are kept" in stale.content.decode()
    page = client.get(f"/policies/{policy.pk}/edit").content.decode()
    assert text_area(page) == "second page"
    assert "first page, later" in page
    kept = EditDraft.objects.get().set_aside.get()
    sent = {"source": "second page, more", "version": "2", "tab": "two", "use": str(kept.pk)}
    page = client.post(f"/policies/{policy.pk}/edit", sent, follow=True).content.decode()
    assert text_area(page) == "first page, later"
    assert "second page, more" in page.split("Texts set aside", 1)[1]


def test_a_page_does_not_conflict_with_its_own_saves(policy: Policy, person: Any) -> None:
    """The answer to a save was lost on its way, so the page still names the version before."""
    reviewer = person(Role.REVIEWER)

    def save(text: str, order: int, version: int = 0) -> EditDraft:
        typed = Typed(text, version, "one", order)
        return edit_drafts.save(policy=policy, person=reviewer, typed=typed)

    save("a", 1)
    assert save("ab", 2).text == "ab"
    assert save("abc", 4).text == "abc"
    late = save("ab", 3)
    assert (late.text, late.set_aside.count()) == ("abc", 0)


def test_a_page_without_scripts_that_was_left_behind_is_set_aside(
    policy: Policy, person: Any
) -> None:
    """The Back button shows an old page of the same tab: it may not replace what came after."""
    reviewer = person(Role.REVIEWER)
    typed = Typed("one", 0, "tab", 0)
    edit_drafts.save(policy=policy, person=reviewer, typed=typed)
    edit_drafts.save(policy=policy, person=reviewer, typed=Typed("two", 1, "tab", 0))
    with pytest.raises(StaleDraft):
        edit_drafts.save(policy=policy, person=reviewer, typed=Typed("back", 1, "tab", 0))
    kept = EditDraft.objects.get()
    assert (kept.text, kept.set_aside.get().text) == ("two", "back")


def test_a_discarded_draft_is_gone_and_another_pages_text_comes_back_as_a_new_one(
    policy: Policy, as_role: Callable[[str], Client]
) -> None:
    client = as_role(Role.REVIEWER)
    draft(client, policy, "typed here")
    gone = client.post(f"/policies/{policy.pk}/edit/discard", {"version": "1"}, follow=True)
    assert text_area(gone.content.decode()) == policy.source
    assert draft(client, policy, "typed there", tab="two", version="1").status_code == 200
    assert EditDraft.objects.get().text == "typed there"
    kept = client.post(f"/policies/{policy.pk}/edit/discard", {"version": "1"}, follow=True)
    assert "Nothing was discarded" in kept.content.decode()
    assert EditDraft.objects.exists()


def test_people_at_work_on_the_same_policy_are_named(
    policy: Policy, as_role: Callable[[str], Client], person: Any
) -> None:
    draft(as_role(Role.OPERATOR), policy, "mine")
    page = as_role(Role.REVIEWER).get(f"/policies/{policy.pk}/edit").content.decode()
    assert "Also at work on this policy" in page
    assert "<bdi>operator</bdi>" in page
    mine = as_role(Role.OPERATOR).get(f"/policies/{policy.pk}/edit").content.decode()
    assert "Also at work" not in mine
    assert EditDraft.objects.get().person == person(Role.OPERATOR)


def test_a_text_beyond_all_bounds_is_refused_with_words(
    policy: Policy, as_role: Callable[[str], Client]
) -> None:
    response = draft(as_role(Role.REVIEWER), policy, "x" * 400_001)
    assert response.status_code == 409
    assert "too long to be kept" in response.content.decode()
    assert "X-Draft-Version" not in response


def test_a_reference_bot_has_no_program_to_edit(
    policy: Policy, as_role: Callable[[str], Client]
) -> None:
    bot = builders.add_policy(policy.run, "", name="rockbot", origin=Origin.BOT)
    assert as_role(Role.REVIEWER).get(f"/policies/{bot.pk}/edit").status_code == 404


def test_what_was_typed_is_inert(policy: Policy, as_role: Callable[[str], Client]) -> None:
    attack = "</textarea><script>alert(1)</script>\u202e"
    client = as_role(Role.REVIEWER)
    draft(client, policy, attack)
    draft(client, policy, "other", tab="two", version="0", order="1")
    page = client.get(f"/policies/{policy.pk}/edit").content.decode()
    assert "<script>alert" not in page
    assert text_area(page) == attack
