"""Commenting without a browser: drafts, replies, publishing, resolving; and pages gone stale."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from csro_web.accounts.models import Role, User
from csro_web.approvals.models import Transition
from csro_web.approvals.selectors import standing_of
from csro_web.approvals.states import State as ApprovalState
from csro_web.audit.models import AuditEvent
from csro_web.policies.models import Policy
from csro_web.reviews import selectors
from csro_web.reviews.models import Comment, Decision, InboxItem, Review, State, Thread
from csro_web.reviews.standing import Standing
from tests.web import builders
from tests.web.review_builders import add_thread, refine

pytestmark = pytest.mark.django_db
AsRole = Callable[[str], Client]


@pytest.fixture
def policy() -> Policy:
    return builders.add_policy(builders.make_run(), builders.FIRST, name="first")


def box(**fields: Any) -> dict[str, Any]:
    return {"key": str(uuid4()), "first": "9", "last": "11", "body": "Why two throws?", **fields}


def mark_on(page: Any) -> str:
    """The mark that the forms of a page send back."""
    return str(page.content.decode().split('name="seen" value="')[1].split('"')[0])


def test_a_comment_on_lines_is_a_draft_that_only_its_author_sees(
    as_role: AsRole, policy: Policy
) -> None:
    reviewer, other = as_role(Role.REVIEWER), as_role(Role.OPERATOR)
    answer = reviewer.post(f"/policies/{policy.pk}/comments", box())
    comment = Comment.objects.get()
    assert answer.url == f"/policies/{policy.pk}#box-{comment.key}"
    assert comment.thread.quote.endswith("self.counts = {}")
    assert "Why two throws?" in reviewer.get(f"/policies/{policy.pk}").content.decode()
    for page in (f"/policies/{policy.pk}", f"/policies/{policy.pk}/threads"):
        assert "Why two throws?" not in other.get(page).content.decode()
    for page in (f"/threads/{comment.thread_id}", f"/comments/{comment.pk}"):
        assert other.get(page).status_code == 404
    assert other.get(f"/reviews/{comment.review_id}").status_code == 404
    assert selectors.threads_of(policy) == []
    assert not AuditEvent.objects.filter(action__startswith="review").exists()


def test_what_is_typed_is_kept_under_one_key_however_often_it_is_sent(
    as_role: AsRole, policy: Policy
) -> None:
    reviewer, fields = as_role(Role.REVIEWER), box()
    for text in ("W", "Why", "Why two?"):
        kept = reviewer.post(f"/policies/{policy.pk}/comments/draft", {**fields, "body": text})
        assert "data-kept" in kept.content.decode()
    assert [comment.body for comment in Comment.objects.all()] == ["Why two?"]
    assert Thread.objects.count() == Review.objects.count() == 1


def test_a_review_is_published_as_a_whole_with_its_verdict(as_role: AsRole, policy: Policy) -> None:
    reviewer = as_role(Role.REVIEWER)
    for first in ("9", "20"):
        reviewer.post(f"/policies/{policy.pk}/comments", box(first=first, last=first))
    form = reviewer.get(f"/policies/{policy.pk}/review")
    fields = {"key": form.context["key"], "seen": form.context["seen"]}
    fields |= {"verdict": "changes_requested", "body": "Two things."}
    answer = reviewer.post(f"/policies/{policy.pk}/review", fields)
    review = Review.objects.get()
    assert answer.url == f"/reviews/{review.pk}?sent=1"
    assert review.verdict == "changes_requested"
    assert review.published_at
    assert [one.standing for one in selectors.threads_of(policy)] == [Standing.OPEN] * 2
    assert standing_of(policy).state == ApprovalState.CHANGES_REQUESTED
    event = AuditEvent.objects.get(action="review.published")
    assert event.detail["verdict"] == "changes_requested"
    assert len(event.detail["threads"]) == 2
    assert "Two things." not in json.dumps(event.detail)
    page = as_role(Role.VIEWER).get(f"/reviews/{review.pk}").content.decode()
    assert page.count("Why two throws?") == 2
    assert "Two things." in page


def test_a_double_click_publishes_once(as_role: AsRole, policy: Policy) -> None:
    reviewer = as_role(Role.REVIEWER)
    reviewer.post(f"/policies/{policy.pk}/comments", box())
    form = reviewer.get(f"/policies/{policy.pk}/review")
    fields = {"key": form.context["key"], "verdict": "comment", "body": "All.", "seen": ""}
    answers = [reviewer.post(f"/policies/{policy.pk}/review", fields) for _ in range(3)]
    assert len({answer.url for answer in answers}) == 1
    assert Review.objects.count() == 1
    assert Comment.objects.count() == 1
    assert AuditEvent.objects.filter(action="review.published").count() == 1


def test_one_comment_that_is_published_twice_stands_once(as_role: AsRole, policy: Policy) -> None:
    reviewer, fields = as_role(Role.REVIEWER), box(now="1")
    first = reviewer.post(f"/policies/{policy.pk}/comments", fields)
    again = reviewer.post(f"/policies/{policy.pk}/comments", fields)
    thread = Thread.objects.get()
    assert first.url == again.url == f"/policies/{policy.pk}#thread-{thread.pk}"
    assert Comment.objects.count() == 1
    other = reviewer.post(f"/policies/{policy.pk}/comments", {**fields, "body": "Another thought"})
    assert other.status_code == 409
    assert "Another thought" in other.content.decode()


def test_publishing_in_a_second_window_says_so_and_keeps_what_was_typed_there(
    as_role: AsRole, policy: Policy
) -> None:
    reviewer = as_role(Role.REVIEWER)
    reviewer.post(f"/policies/{policy.pk}/comments", box())
    forms = [reviewer.get(f"/policies/{policy.pk}/review") for _ in range(2)]
    one, two = (
        {"key": form.context["key"], "draft": form.context["draft"].pk, "seen": ""}
        for form in forms
    )
    reviewer.post(f"/policies/{policy.pk}/review", {**one, "verdict": "looks_good", "body": "Fine"})
    late = {**two, "verdict": "looks_good", "body": "Fine, but read line 9"}
    answer = reviewer.post(f"/policies/{policy.pk}/review", late)
    assert answer.status_code == 409
    assert "in another window" in answer.content.decode()
    assert "Fine, but read line 9" in answer.content.decode()
    assert Review.objects.filter(published_at__isnull=False).count() == 1
    assert Review.objects.get(published_at__isnull=True).body == "Fine, but read line 9"


def test_replying_to_a_thread_discards_no_other_draft(
    as_role: AsRole, policy: Policy, person: Any
) -> None:
    """As people reported of another site: answering a comment lost the answer they were writing."""
    thread = add_thread(policy, person(Role.OPERATOR), first=9)
    reviewer = as_role(Role.REVIEWER)
    reviewer.post(f"/policies/{policy.pk}/comments/draft", box(body="A long draft"))
    page = reviewer.get(f"/threads/{thread.pk}")
    fields = {"at": policy.pk, "body": "Yes.", "now": "1", "key": str(uuid4())}
    answer = reviewer.post(f"/threads/{thread.pk}/reply", {**fields, "seen": mark_on(page)})
    assert answer.status_code == 302
    assert [one.body for one in thread.comments.all()] == ["Why is that so?", "Yes."]
    assert "A long draft" in reviewer.get(f"/policies/{policy.pk}/review").content.decode()


def test_a_reply_to_a_thread_that_moved_on_is_kept_and_shows_what_happened(
    as_role: AsRole, policy: Policy, person: Any
) -> None:
    asker = person(Role.OPERATOR)
    thread = add_thread(policy, asker, first=9)
    reviewer = as_role(Role.REVIEWER)
    mark = mark_on(reviewer.get(f"/threads/{thread.pk}"))
    operator = as_role(Role.OPERATOR)
    fresh = mark_on(operator.get(f"/threads/{thread.pk}"))
    said = {"at": policy.pk, "key": str(uuid4()), "body": "Never mind.", "now": "1", "seen": fresh}
    operator.post(f"/threads/{thread.pk}/reply", said)
    fresh = mark_on(operator.get(f"/threads/{thread.pk}"))
    operator.post(f"/threads/{thread.pk}/resolve", {"at": policy.pk, "seen": fresh})
    reply = {"at": policy.pk, "key": str(uuid4()), "body": "But look:", "now": "1", "seen": mark}
    answer = reviewer.post(f"/threads/{thread.pk}/reply", reply)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "operator replied meanwhile" in page
    assert "operator resolved the thread" in page
    assert "But look:" in page
    assert Comment.objects.get(body="But look:").review.is_draft
    again = reviewer.post(f"/threads/{thread.pk}/reply", {**reply, "seen": mark_on(answer)})
    assert again.status_code == 302
    assert not Comment.objects.get(body="But look:").review.is_draft


def test_a_reply_that_was_drafted_before_the_page_was_read_is_news_when_it_is_published(
    as_role: AsRole, policy: Policy, person: Any
) -> None:
    """Keys of comments follow the order of drafts, not that of publishing."""
    thread = add_thread(policy, person(Role.OPERATOR), first=9)
    slow, quick, reader = (as_role(one) for one in (Role.OPERATOR, Role.APPROVER, Role.REVIEWER))
    drafted = {"at": policy.pk, "key": str(uuid4()), "body": "Wait:"}
    slow.post(f"/threads/{thread.pk}/reply", drafted)
    for client, key, body in ((quick, str(uuid4()), "Agreed."), (slow, drafted["key"], "Wait:")):
        mark = mark_on(client.get(f"/threads/{thread.pk}"))
        if client is slow:
            read = mark_on(reader.get(f"/threads/{thread.pk}"))
        said = {"at": policy.pk, "key": key, "body": body, "now": "1", "seen": mark}
        assert client.post(f"/threads/{thread.pk}/reply", said).status_code == 302
    assert Comment.objects.get(body="Wait:").pk < Comment.objects.get(body="Agreed.").pk
    answer = reader.post(f"/threads/{thread.pk}/resolve", {"at": policy.pk, "seen": read})
    assert answer.status_code == 409
    assert "operator replied meanwhile" in answer.content.decode()
    assert "approver replied meanwhile" not in answer.content.decode()


@pytest.mark.parametrize("mark", ["m," + "9" * 5000 + ":1:open", "m,²:1:open", "m,1", "m,:::", ""])
def test_a_mark_that_no_page_made_counts_as_one_of_an_old_page(
    mark: str, as_role: AsRole, policy: Policy, person: Any
) -> None:
    thread = add_thread(policy, person(Role.OPERATOR), first=9)
    fields = {"at": policy.pk, "seen": mark}
    answer = as_role(Role.REVIEWER).post(f"/threads/{thread.pk}/resolve", fields)
    assert answer.status_code == 409
    assert "operator replied meanwhile" in answer.content.decode()


def test_a_policy_that_was_withdrawn_meanwhile_is_said_before_anything_is_published(
    as_role: AsRole, policy: Policy
) -> None:
    reviewer = as_role(Role.REVIEWER)
    form = reviewer.get(f"/policies/{policy.pk}/review")
    Policy.objects.filter(pk=policy.pk).update(withdrawn_by=1)
    fields = {"key": form.context["key"], "seen": form.context["seen"], "body": "Good."}
    answer = reviewer.post(f"/policies/{policy.pk}/review", fields | {"verdict": "looks_good"})
    assert answer.status_code == 409
    assert "taken out of its population" in answer.content.decode()
    assert Review.objects.get().body == "Good."
    assert Review.objects.get().is_draft


def test_resolving_reopening_and_confirming(as_role: AsRole, policy: Policy, person: Any) -> None:
    thread = add_thread(policy, person(Role.REVIEWER), first=9, wants_confirmation=True)
    asker, operator = as_role(Role.REVIEWER), as_role(Role.OPERATOR)

    def act(client: Client, name: str) -> int:
        mark = mark_on(client.get(f"/threads/{thread.pk}"))
        fields = {"at": policy.pk, "seen": mark}
        return client.post(f"/threads/{thread.pk}/{name}", fields).status_code

    def now() -> Standing:
        return selectors.threads_of(policy)[0].standing

    assert act(operator, "resolve") == 302
    assert now() is Standing.WAITING
    assert act(operator, "resolve") == 409
    assert act(operator, "confirm") == 409
    assert now() is Standing.WAITING
    assert InboxItem.objects.get(person__username="reviewer").kind == "confirm"
    assert act(asker, "confirm") == 302
    assert now() is Standing.RESOLVED
    assert act(operator, "reopen") == 302
    assert now() is Standing.OPEN
    assert act(operator, "reopen") == 409
    assert act(operator, "resolve") == 302
    assert act(as_role(Role.ADMINISTRATOR), "confirm") == 302
    assert now() is Standing.RESOLVED
    assert act(operator, "reopen") == 302
    assert act(asker, "resolve") == 302
    assert now() is Standing.RESOLVED
    actions = list(AuditEvent.objects.order_by("sequence").values_list("action", flat=True))
    assert [one for one in actions if one.startswith("thread.")] == [
        "thread.resolved",
        "thread.confirmed",
        "thread.reopened",
        "thread.resolved",
        "thread.confirmed",
        "thread.reopened",
        "thread.resolved",
    ]


def test_resolving_at_a_later_version_leaves_the_question_open_where_it_was_asked(
    as_role: AsRole, policy: Policy, person: Any
) -> None:
    later = refine(policy, builders.refined(builders.FIRST, 1), name="later")
    thread = add_thread(policy, person(Role.REVIEWER), first=9)
    operator = as_role(Role.OPERATOR)
    mark = mark_on(operator.get(f"/threads/{thread.pk}?at={later.pk}"))
    fields = {"at": later.pk, "seen": mark}
    assert operator.post(f"/threads/{thread.pk}/resolve", fields).status_code == 302
    thread.refresh_from_db()
    assert thread.state == State.OPEN
    assert Decision.objects.get().policy == later
    assert selectors.open_thread_counts([policy.pk, later.pk]) == {policy.pk: 1, later.pk: 0}


def test_a_thread_is_decided_at_no_policy_that_it_does_not_belong_to(
    as_role: AsRole, policy: Policy, person: Any
) -> None:
    aside = builders.add_policy(policy.run, "class Policy: ...\n", name="aside")
    thread = add_thread(policy, person(Role.REVIEWER), first=9)
    operator = as_role(Role.OPERATOR)
    for address in ("resolve", "reopen", "confirm", "reply"):
        fields = {"at": aside.pk, "body": "x", "seen": ""}
        assert operator.post(f"/threads/{thread.pk}/{address}", fields).status_code == 404
    assert operator.get(f"/threads/{thread.pk}?at={aside.pk}").status_code == 404


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"first": "0"}, "lines 1 to"),
        ({"first": "3", "last": "9999"}, "lines 1 to"),
        ({"first": "x"}, "first and last number"),
        ({"first": "9" * 17, "last": "9" * 18}, "lines 1 to"),
        ({"body": "x" * 20_001}, "too long"),
        ({"body": "  "}, "Write something"),
        ({"key": "no-key"}, "damaged"),
    ],
)
def test_what_cannot_be_kept_is_said_with_the_text_in_the_box(
    as_role: AsRole, policy: Policy, fields: dict[str, str], words: str
) -> None:
    answer = as_role(Role.REVIEWER).post(f"/policies/{policy.pk}/comments", box(**fields))
    assert answer.status_code == 422
    page = answer.content.decode()
    assert words in page
    assert fields.get("body", "Why two throws?")[:50].strip() in page
    assert not Comment.objects.exclude(body="  ").exists()


def test_somebody_elses_box_cannot_be_written_into(as_role: AsRole, policy: Policy) -> None:
    fields = box()
    as_role(Role.REVIEWER).post(f"/policies/{policy.pk}/comments/draft", fields)
    theirs = as_role(Role.OPERATOR).post(
        f"/policies/{policy.pk}/comments/draft", {**fields, "body": "mine now"}
    )
    assert theirs.status_code == 409
    assert Comment.objects.get().body == "Why two throws?"


def test_a_published_comment_stays_and_a_draft_can_be_discarded(
    as_role: AsRole, policy: Policy
) -> None:
    reviewer = as_role(Role.REVIEWER)
    reviewer.post(f"/policies/{policy.pk}/comments", box(now="1"))
    published = Comment.objects.get()
    assert reviewer.post(f"/comments/{published.pk}/discard").status_code == 409
    reviewer.post(f"/policies/{policy.pk}/comments", box(body="draft"))
    draft = Comment.objects.get(body="draft")
    assert as_role(Role.OPERATOR).post(f"/comments/{draft.pk}/discard").status_code == 404
    assert reviewer.post(f"/comments/{draft.pk}/discard").status_code == 302
    assert list(Comment.objects.all()) == [published]
    assert Thread.objects.count() == 1


def test_viewers_read_threads_and_write_none(
    viewer: Client, policy: Policy, person: Callable[[str], User]
) -> None:
    thread = add_thread(policy, person(Role.REVIEWER), first=9)
    page = viewer.get(f"/policies/{policy.pk}").content.decode()
    assert "Why is that so?" in page
    assert 'name="body"' not in page
    assert "Resolve" not in page
    assert viewer.post(f"/policies/{policy.pk}/comments", box()).status_code == 403
    assert viewer.post(f"/threads/{thread.pk}/resolve", {"at": policy.pk}).status_code == 403


def test_what_people_write_cannot_act_on_a_page(
    as_role: AsRole, policy: Policy, person: Callable[[str], User]
) -> None:
    attack = "<script>alert(1)</script>\u202e\x1b[31m"
    person(Role.REVIEWER)
    thread = add_thread(policy, person(Role.REVIEWER), first=9, body=attack)
    client = as_role(Role.OPERATOR)
    for page in (f"/policies/{policy.pk}", f"/threads/{thread.pk}", f"/reviews/{thread.review_id}"):
        text = client.get(page).content.decode()
        assert "<script>alert" not in text
        assert "\u202e" not in text
        assert "\x1b" not in text
        assert "U+202E" in text


def test_a_question_on_a_policy_lets_the_approval_of_what_was_made_from_it_lapse(
    as_role: AsRole, policy: Policy, person: Callable[[str], User]
) -> None:
    later = refine(policy, builders.refined(builders.FIRST, 1), name="later")
    before = Transition.objects.filter(policy=later).count()
    as_role(Role.REVIEWER).post(f"/policies/{policy.pk}/comments", box(now="1"))
    events = Transition.objects.filter(policy__in=[policy, later]).order_by("pk")
    assert [one.event for one in events if one.policy_id == later.pk][before:] == ["thread_opened"]
    assert standing_of(later).state == ApprovalState.IN_REVIEW


def test_every_thread_stands_once_on_a_page_also_where_its_lines_are_gone(
    viewer: Client, policy: Policy, person: Callable[[str], User]
) -> None:
    gone = add_thread(policy, person(Role.REVIEWER), first=12)
    kept = add_thread(policy, person(Role.REVIEWER), first=20)
    source = builders.FIRST.replace("        self.favourite = [0, 0, 0]\n", "")
    later = refine(policy, source, name="later")
    for address in (f"/policies/{later.pk}", f"/policies/{policy.pk}/diff/{later.pk}"):
        page = viewer.get(address).content.decode()
        for thread in (gone, kept):
            assert page.count(f'id="thread-{thread.pk}"') == 1, address
    page = viewer.get(f"/policies/{later.pk}").content.decode()
    assert page.index(f'id="thread-{gone.pk}"') < page.index('id="L1"')
