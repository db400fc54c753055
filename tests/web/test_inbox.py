"""What reaches whose inbox, and what nobody learns from it."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from csro_web.accounts.models import Role, Team, User
from csro_web.changes.models import Change, ChangeKind
from csro_web.policies.models import Policy
from csro_web.reviews import drafts, inbox, publishing
from csro_web.reviews.anchors import Lines
from csro_web.reviews.mentions import mentioned
from csro_web.reviews.models import InboxItem, Review, SavedView, Thread, Verdict
from tests.web import builders
from tests.web.review_builders import add_thread

pytestmark = pytest.mark.django_db
Person = Callable[[str], User]
AsRole = Callable[[str], Client]


@pytest.fixture
def policy(person: Person) -> Policy:
    run = builders.make_run(name="the run")
    run.launched_by = person(Role.OPERATOR)
    run.save()
    return builders.add_policy(run, builders.FIRST, name="first")


def publish(
    policy: Policy,
    author: User,
    *,
    body: str = "",
    comment: str = "",
    thread: Thread | None = None,
    verdict: Verdict = Verdict.COMMENT,
) -> Review:
    if comment and thread is None:
        place = drafts.Selection(Lines(10, 10))
        drafts.open_thread(
            program=policy, person=author, key=uuid4(), selection=place, body=comment
        )
    elif thread is not None:
        drafts.reply(thread=thread, program=policy, person=author, key=uuid4(), body=comment)
    mark = f"m,{thread.pk}:{thread.comments.last().pk}:open" if thread else ""
    return publishing.publish(
        program=policy, person=author, key=uuid4(), body=body, verdict=verdict, mark=mark
    )


def kinds() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for item in InboxItem.objects.order_by("pk").select_related("person"):
        found.setdefault(item.person.username, []).append(item.kind)
    return found


def test_who_launched_a_run_learns_of_reviews_and_above_all_of_requested_changes(
    policy: Policy, person: Person
) -> None:
    publish(policy, person(Role.REVIEWER), body="Nice.")
    publish(policy, person(Role.REVIEWER), body="No.", verdict=Verdict.CHANGES_REQUESTED)
    assert kinds() == {"operator": ["review", "changes"]}


def test_who_edited_a_policy_learns_of_its_reviews(policy: Policy, person: Person) -> None:
    Change.objects.create(
        run=policy.run,
        number=1,
        kind=ChangeKind.COMMIT,
        author=person(Role.APPROVER),
        reason="x",
        policy=policy,
        source=policy.source,
        sha256=policy.sha256,
        origin="edited",
    )
    publish(policy, person(Role.REVIEWER), body="Nice.")
    assert kinds() == {"operator": ["review"], "approver": ["review"]}


def test_taking_part_in_a_thread_brings_its_replies_and_a_mention_says_more(
    policy: Policy, person: Person
) -> None:
    person(Role.ADMINISTRATOR)
    thread = add_thread(policy, person(Role.APPROVER), first=3)
    text = "@approver @administrator: yes."
    publish(policy, person(Role.REVIEWER), comment=text, thread=thread)
    assert kinds() == {
        "operator": ["review"],
        "approver": ["mention"],
        "administrator": ["mention"],
    }
    publish(policy, person(Role.OPERATOR), comment="Thanks.", thread=thread)
    assert kinds()["approver"] == ["mention", "reply"]
    assert kinds()["reviewer"] == ["reply"]


def test_nobody_is_told_what_they_did_themselves(policy: Policy, person: Person) -> None:
    publish(policy, person(Role.OPERATOR), body="@operator: my own", comment="@operator")
    assert kinds() == {}


def test_a_mention_tells_nothing_about_people_of_other_teams(
    policy: Policy, person: Person, as_role: AsRole
) -> None:
    ours, theirs = (Team.objects.create(name=name, slug=name) for name in ("ours", "theirs"))
    outsider = User.objects.create_user("outsider", "o@example.org", role=Role.REVIEWER)
    gone = User.objects.create_user("gone", role=Role.REVIEWER, is_active=False)
    theirs.members.add(outsider)
    ours.members.add(person(Role.REVIEWER), person(Role.OPERATOR), gone)
    policy.run.team = ours
    policy.run.save()
    publish(policy, person(Role.REVIEWER), comment="@outsider @nobody @gone @operator")
    assert set(kinds()) == {"operator"}
    page = as_role(Role.OPERATOR).get(f"/policies/{policy.pk}").content.decode()
    line = next(one for one in page.splitlines() if "@outsider" in one)
    assert line.count("@outsider @nobody @gone @operator") == 1, "all shown alike"


def test_what_one_may_not_see_any_more_leaves_inbox_and_count(
    policy: Policy, person: Person, as_role: AsRole
) -> None:
    publish(policy, person(Role.REVIEWER), body="A secret review")
    client = as_role(Role.OPERATOR)
    assert "A secret review" in client.get("/inbox").content.decode()
    assert inbox.unread_count(person(Role.OPERATOR)) == 1
    policy.run.team = Team.objects.create(name="others", slug="others")
    policy.run.save()
    page = client.get("/inbox?show=all").content.decode()
    assert "A secret review" not in page
    assert "the run" not in page
    assert inbox.unread_count(person(Role.OPERATOR)) == 0


def test_items_are_filtered_marked_and_read_by_opening_them(
    policy: Policy, person: Person, as_role: AsRole
) -> None:
    thread = add_thread(policy, person(Role.OPERATOR), first=3)
    publish(policy, person(Role.REVIEWER), comment="Hm, @operator.", thread=thread)
    publish(policy, person(Role.APPROVER), body="No.", verdict=Verdict.CHANGES_REQUESTED)
    client, operator = as_role(Role.OPERATOR), person(Role.OPERATOR)
    shown = client.get("/inbox?kind=mention").context["page"]
    assert [item.kind for item in shown] == ["mention"]
    by_person = client.get(f"/inbox?person={person(Role.APPROVER).pk}").context["page"]
    assert [item.kind for item in by_person] == ["changes"]
    assert not client.get("/inbox?run=99999").context["page"].object_list
    client.get(f"/threads/{thread.pk}")
    assert inbox.unread_count(operator) == 2
    client.post("/inbox/mark", {"item": InboxItem.objects.get(kind="mention").pk, "unread": "1"})
    assert inbox.unread_count(operator) == 3
    newest = client.get("/inbox").context["newest"]
    publish(policy, person(Role.REVIEWER), body="Late")
    client.post("/inbox/mark", {"all": "1", "newest": newest})
    assert inbox.unread_count(operator) == 1, "what arrived after the page was made stays unread"


def test_nobody_marks_anothers_items(policy: Policy, person: Person, as_role: AsRole) -> None:
    publish(policy, person(Role.REVIEWER), body="x")
    as_role(Role.APPROVER).post("/inbox/mark", {"item": InboxItem.objects.get().pk})
    assert inbox.unread_count(person(Role.OPERATOR)) == 1


def test_views_are_saved_under_names_and_belong_to_one_person(as_role: AsRole) -> None:
    client = as_role(Role.REVIEWER)
    for name in ("Mentions", "Mentions", "", "x" * 61):
        client.post("/inbox/views", {"name": name, "kind": "mention", "show": "all", "evil": "1"})
    view = SavedView.objects.get()
    assert (view.name, view.query) == ("Mentions", "show=all&kind=mention")
    assert "?show=all&amp;kind=mention" in client.get("/inbox").content.decode()
    client.post("/inbox/views", {"name": "a\x00b", "show": "all"})
    assert SavedView.objects.filter(name="a\\x00b").exists(), "PostgreSQL keeps no NUL"
    SavedView.objects.exclude(pk=view.pk).delete()
    as_role(Role.OPERATOR).post("/inbox/views", {"remove": view.pk})
    assert SavedView.objects.exists()
    client.post("/inbox/views", {"remove": view.pk})
    assert not SavedView.objects.exists()


def test_letters_can_be_switched_off(as_role: AsRole, person: Person) -> None:
    client = as_role(Role.REVIEWER)
    client.post("/inbox/letters", {"letters": "off"})
    assert not inbox.wants_letters(person(Role.REVIEWER))
    client.post("/inbox/letters", {"letters": "on"})
    assert inbox.wants_letters(person(Role.REVIEWER))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ask @ada.", {"ada.", "ada"}),
        ("@ada.l and (@bob)", {"ada.l", "bob"}),
        ("mail ada@example.org", set()),
        ("https://x/@ada", set()),
        ("@@ada", {"@ada"}),
        ("@", set()),
    ],
)
def test_which_names_a_text_mentions(text: str, names: set[str]) -> None:
    assert mentioned(text) == names


@given(st.text(max_size=400))
def test_any_text_is_read_for_names(text: str) -> None:
    assert all(name in text and name for name in mentioned(text))
