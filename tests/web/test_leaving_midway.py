"""What somebody had begun when they left a team or lost a role."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client

from csro_web.accounts import people, tokens
from csro_web.accounts.models import Role, Scope, Team, User
from csro_web.jobs.models import Job
from csro_web.jobs.services import enqueue
from csro_web.policies.models import Policy
from csro_web.reviews.models import Comment, InboxItem, Review
from tests.web import builders
from tests.web.review_builders import add_thread

pytestmark = pytest.mark.django_db
WORDS = "The third branch never runs."


@pytest.fixture
def team(person: Callable[[str], User]) -> Team:
    team = Team.objects.create(name="Auditors", slug="auditors")
    team.members.add(person(Role.REVIEWER), person(Role.OPERATOR))
    return team


@pytest.fixture
def policy(team: Team, person: Callable[[str], User]) -> Policy:
    run = builders.make_run(name="the run")
    run.team, run.launched_by = team, person(Role.OPERATOR)
    run.save()
    return builders.add_policy(run, builders.FIRST, name="first")


@pytest.fixture
def reviewer(as_role: Callable[[str], Client]) -> Client:
    return as_role(Role.REVIEWER)


def comment(client: Client, policy: Policy, body: str = WORDS, **more: str) -> int:
    form = {"key": str(uuid4()), "first": "3", "body": body, **more}
    return client.post(f"/policies/{policy.pk}/comments", form).status_code


def test_a_draft_waits_unseen_while_its_author_is_out_of_the_team(
    team: Team, policy: Policy, reviewer: Client, person: Callable[[str], User]
) -> None:
    comment(reviewer, policy)
    (draft,) = Comment.objects.all()
    team.members.remove(person(Role.REVIEWER))
    publish = {"key": str(uuid4()), "body": "", "verdict": "comment", "mark": ""}
    assert reviewer.post(f"/policies/{policy.pk}/review", publish).status_code == 404
    assert reviewer.get(f"/policies/{policy.pk}/review").status_code == 404
    assert reviewer.post(f"/comments/{draft.pk}/discard").status_code == 404
    late = reviewer.post(
        f"/policies/{policy.pk}/comments", {"key": str(uuid4()), "first": "3", "body": "Typed."}
    )
    assert late.status_code == 404
    assert "Typed." in late.content.decode(), "their own words are theirs to copy"
    assert "the run" not in late.content.decode()
    assert not Review.objects.filter(published_at__isnull=False).exists()
    assert list(Comment.objects.values_list("body", flat=True)) == [WORDS]
    team.members.add(person(Role.REVIEWER))
    assert WORDS in reviewer.get(f"/policies/{policy.pk}/review").content.decode()


def test_who_left_is_told_of_nothing_more(
    team: Team, policy: Policy, reviewer: Client, person: Callable[[str], User], operator: Client
) -> None:
    gone = person(Role.REVIEWER)
    add_thread(policy, gone, first=3)
    before = InboxItem.objects.filter(person=gone).count()
    team.members.remove(gone)
    comment(operator, policy, "@reviewer, look at the secret plan", now="1")
    assert Review.objects.filter(author=person(Role.OPERATOR), published_at__isnull=False).exists()
    assert InboxItem.objects.filter(person=gone).count() == before
    assert "secret plan" not in reviewer.get("/inbox").content.decode()


def test_work_that_was_asked_for_is_not_shown_to_who_left(
    team: Team, policy: Policy, reviewer: Client, person: Callable[[str], User]
) -> None:
    job: Job = enqueue("edit trial", inputs={}, asked_by=person(Role.REVIEWER), run=policy.run)
    assert reviewer.get(f"/jobs/{job.pk}/live").status_code == 200
    team.members.remove(person(Role.REVIEWER))
    assert reviewer.get(f"/jobs/{job.pk}/live").status_code == 404
    assert reviewer.post(f"/jobs/{job.pk}/cancel").status_code == 404


def test_a_right_that_was_taken_away_is_gone_with_the_next_click_and_the_next_call(
    policy: Policy, person: Callable[[str], User], as_role: Callable[[str], Client]
) -> None:
    administrator = person(Role.ADMINISTRATOR)
    second = User.objects.create_user("second", password="second", role=Role.ADMINISTRATOR)
    client = Client()
    client.force_login(second)
    _, text = tokens.make(person=second, name="t", scopes=list(Scope))
    bearer = {"authorization": f"Bearer {text}"}
    assert client.get("/people").status_code == 200
    assert Client().get(f"/api/v1/runs/{policy.run_id}", headers=bearer).status_code == 200
    people.change_role(second, Role.VIEWER, actor=administrator)
    assert client.get("/people").status_code == 403
    assert client.post(f"/people/{second.pk}", {"role": "administrator"}).status_code == 403
    assert client.get(f"/runs/{policy.run_id}").status_code == 404
    assert Client().get(f"/api/v1/runs/{policy.run_id}", headers=bearer).status_code == 404
    asked = f"/api/v1/runs/{policy.run_id}/exports"
    sent = Client().post(asked, {"draft": True}, content_type="application/json", headers=bearer)
    assert sent.status_code == 404
