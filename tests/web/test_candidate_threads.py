"""Questions about what the search tried: programs of no population, and what they turned into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from csro_web.accounts.models import Role, Team
from csro_web.approvals.selectors import standing_of
from csro_web.approvals.states import State as ApprovalState
from csro_web.audit.models import AuditEvent
from csro_web.policies.models import Candidate, Policy
from csro_web.reviews import selectors
from csro_web.reviews.models import Comment, InboxItem, Review, Thread
from csro_web.reviews.standing import Standing
from tests.web import builders
from tests.web.review_builders import add_thread

pytestmark = pytest.mark.django_db
AsRole = Callable[[str], Client]


@pytest.fixture
def steps() -> list[Candidate]:
    """A proposal and two refinements, one of the other; none of them joined."""
    run = builders.make_run()
    found: list[Candidate] = []
    for number in range(3):
        source = builders.refined(builders.FIRST, number) if number else builders.FIRST
        parent = found[-1] if found else None
        found.append(builders.add_candidate(run, 1, number, parent=parent, source=source))
    return found


def join(candidate: Candidate, name: str = "joined") -> Policy:
    return builders.add_policy(
        candidate.run, candidate.source, name=name, origin="refined", candidate=candidate
    )


def ask(client: Client, candidate: Candidate, **fields: Any) -> Any:
    box = {"key": str(uuid4()), "first": "9", "last": "11", "body": "Why two throws?", "now": "1"}
    return client.post(f"/candidates/{candidate.pk}/comments", {**box, **fields})


def test_a_question_about_a_refinement_is_asked_on_its_page_and_shown_everywhere(
    as_role: AsRole, person: Any, steps: list[Candidate]
) -> None:
    reviewer = as_role(Role.REVIEWER)
    steps[0].run.launched_by = person(Role.OPERATOR)
    steps[0].run.save()
    answer = ask(reviewer, steps[1])
    thread = Thread.objects.get()
    assert answer.url == f"/candidates/{steps[1].pk}#thread-{thread.pk}"
    assert (thread.candidate, thread.policy, thread.sha256) == (steps[1], None, steps[1].sha256)
    assert InboxItem.objects.get(person=person(Role.OPERATOR)).candidate == steps[1]
    for address in (
        f"/candidates/{steps[1].pk}",
        f"/candidates/{steps[0].pk}/diff/{steps[1].pk}",
        f"/candidates/{steps[2].pk}",
        f"/candidates/{steps[1].pk}/threads",
        f"/threads/{thread.pk}",
        f"/threads/{thread.pk}?at=c{steps[2].pk}",
        f"/reviews/{thread.review_id}",
    ):
        assert "Why two throws?" in reviewer.get(address).content.decode(), address
    assert "Why two throws?" not in reviewer.get(f"/candidates/{steps[0].pk}").content.decode()
    comment = Comment.objects.get()
    assert f"/comments/{comment.pk}" in reviewer.get("/search?q=throws").content.decode()
    listed = reviewer.get(f"/runs/{thread.run_id}/threads").content.decode()
    assert "iteration 1, attempt 1" in listed
    inbox = as_role(Role.OPERATOR).get("/inbox").content.decode()
    assert f"/candidates/{steps[1].pk}" in inbox
    event = AuditEvent.objects.get(action="review.published")
    assert event.detail["candidate"] == steps[1].pk


def test_what_was_asked_of_a_candidate_stands_in_the_way_of_the_policy_it_becomes(
    as_role: AsRole, steps: list[Candidate]
) -> None:
    reviewer = as_role(Role.REVIEWER)
    ask(reviewer, steps[1])
    thread = Thread.objects.get()
    policy = join(steps[2])
    assert [one.standing for one in selectors.threads_of(policy)] == [Standing.OPEN]
    assert selectors.open_thread_counts([policy.pk]) == {policy.pk: 1}
    page = reviewer.get(f"/policies/{policy.pk}")
    [shown] = page.context["threads_shown"]
    assert shown.place.lines is not None
    seen = {"at": str(policy.pk), "seen": shown.seen}
    reviewer.post(f"/threads/{thread.pk}/resolve", seen)
    assert selectors.open_thread_counts([policy.pk]) == {policy.pk: 0}
    assert [one.standing for one in selectors.threads_of(steps[1])] == [Standing.OPEN]


def test_a_decision_at_a_candidate_counts_for_what_is_made_from_it(
    as_role: AsRole, steps: list[Candidate]
) -> None:
    reviewer = as_role(Role.REVIEWER)
    ask(reviewer, steps[0])
    thread, policy = Thread.objects.get(), join(steps[2])
    [shown] = reviewer.get(f"/candidates/{steps[1].pk}").context["threads_shown"]
    at = {"at": f"c{steps[1].pk}", "seen": shown.seen}
    answer = reviewer.post(f"/threads/{thread.pk}/resolve", at)
    assert answer.url == f"/candidates/{steps[1].pk}#thread-{thread.pk}"
    programs = (steps[0], steps[1], steps[2], policy)
    found = [selectors.threads_of(program)[0].standing for program in programs]
    assert found == [Standing.OPEN, *[Standing.RESOLVED] * 3]
    again = reviewer.post(f"/threads/{thread.pk}/resolve", at)
    assert "has resolved this thread already" in again.content.decode()


def test_a_question_about_a_candidate_lets_the_approval_of_its_policy_lapse(
    as_role: AsRole, steps: list[Candidate]
) -> None:
    policy = join(steps[2])
    ask(as_role(Role.REVIEWER), steps[1])
    assert standing_of(policy).state == ApprovalState.IN_REVIEW


def test_a_review_of_a_candidate_is_drafted_and_published_as_a_whole(
    as_role: AsRole, steps: list[Candidate]
) -> None:
    reviewer = as_role(Role.REVIEWER)
    box = {"key": str(uuid4()), "first": "9", "last": "9", "body": "A draft"}
    for _ in range(2):
        kept = reviewer.post(f"/candidates/{steps[1].pk}/comments/draft", box)
        assert "data-kept" in kept.content.decode()
    assert Review.objects.get().candidate == steps[1]
    assert (
        "A draft" not in as_role(Role.OPERATOR).get(f"/candidates/{steps[1].pk}").content.decode()
    )
    form = reviewer.get(f"/candidates/{steps[1].pk}/review")
    fields = {"key": form.context["key"], "seen": form.context["seen"]}
    fields |= {"verdict": "looks_good", "body": "One thing."}
    answer = reviewer.post(f"/candidates/{steps[1].pk}/review", fields)
    assert answer.url == f"/reviews/{Review.objects.get().pk}?sent=1"
    assert "A draft" in reviewer.get(answer.url).content.decode()


def test_each_side_of_a_comparison_takes_a_question_and_leads_back_to_it(
    as_role: AsRole, steps: list[Candidate]
) -> None:
    reviewer, policy = as_role(Role.REVIEWER), join(steps[2])
    answer = ask(reviewer, steps[0], side="old", other=f"c{steps[1].pk}")
    assert answer.url.startswith(f"/candidates/{steps[0].pk}/diff/{steps[1].pk}#thread-")
    answer = ask(reviewer, steps[1], side="new", other=str(policy.pk))
    assert answer.url.startswith(f"/policies/{policy.pk}/diff/candidates/{steps[1].pk}#thread-")
    first, second = Thread.objects.order_by("pk")
    assert (first.other, first.other_candidate) == (None, steps[1])
    assert (second.other, second.other_candidate) == (policy, None)


def test_a_failed_proposal_is_questioned_and_one_without_a_program_is_not(
    as_role: AsRole, steps: list[Candidate]
) -> None:
    reviewer = as_role(Role.REVIEWER)
    Candidate.objects.filter(pk=steps[2].pk).update(accepted=False, reason="it was too slow")
    assert ask(reviewer, steps[2]).status_code == 302
    Candidate.objects.filter(pk=steps[1].pk).update(source="", sha256="")
    assert ask(reviewer, steps[1]).status_code == 422
    assert reviewer.get(f"/candidates/{steps[1].pk}/review").status_code == 404
    assert reviewer.get(f"/candidates/{steps[1].pk}").status_code == 200


def test_a_thread_is_at_home_at_programs_of_its_line_alone(
    as_role: AsRole, person: Any, steps: list[Candidate]
) -> None:
    thread = add_thread(steps[1], person(Role.REVIEWER), first=9)
    reviewer = as_role(Role.REVIEWER)
    stranger = builders.add_candidate(builders.make_run(), 1, 0, source=builders.FIRST)
    assert reviewer.get(f"/threads/{thread.pk}?at=7x").status_code == 200
    assert reviewer.get(f"/threads/{thread.pk}?at=c{steps[0].pk}").status_code == 404
    assert reviewer.get(f"/threads/{thread.pk}?at=c{stranger.pk}").status_code == 404


def test_questions_about_candidates_of_another_team_are_not_seen(
    as_role: AsRole, person: Any, steps: list[Candidate]
) -> None:
    thread = add_thread(steps[1], person(Role.REVIEWER), first=9, body="team secret")
    run = steps[0].run
    run.team = Team.objects.create(slug="red", name="Red")
    run.save()
    outsider = as_role(Role.OPERATOR)
    comment = Comment.objects.get()
    for address in (
        f"/threads/{thread.pk}",
        f"/comments/{comment.pk}",
        f"/reviews/{thread.review_id}",
        f"/candidates/{steps[1].pk}/threads",
    ):
        assert outsider.get(address).status_code == 404, address
    assert "team secret" not in outsider.get("/search?q=secret").content.decode()
