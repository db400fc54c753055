"""The review queue: its order, what is in it and for whom, and that it stays quick."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.test import Client

from csro_web.accounts.models import Role, Team
from csro_web.approvals import queue
from csro_web.approvals.models import Approval, Reevaluation, Standing
from csro_web.approvals.states import State
from csro_web.changes.models import Change
from csro_web.jobs.models import Job
from csro_web.policies.models import Origin, Policy
from csro_web.runs import weights
from csro_web.runs.models import Run
from csro_web.runs.weights import Mixture
from tests.web import builders

pytestmark = pytest.mark.django_db


def a_run(*ends: tuple[float, float | None], name: str = "", **fields: Any) -> list[Policy]:
    """Policies of a run with these weights and upper ends; without an end no range is known."""
    run = builders.make_run(name=name, **fields)
    for number, (weight, _) in enumerate(ends):
        builders.add_policy(run, f"x = {number}\n", name=f"{name}{weight}")
    known = [end for _, end in ends if end is not None]
    weights.save(run, Mixture(tuple(weight for weight, _ in ends), tuple(known), tuple(known)))
    return list(run.policies.order_by("index"))


def shown(client: Client, query: str = "") -> list[Policy]:
    response = client.get(f"/reviews?{query}")
    assert response.status_code == 200
    return [row.policy for row in response.context["rows"]]


def test_the_upper_end_decides_then_the_weight_and_the_unknown_comes_first(
    viewer: Client,
) -> None:
    likely, certain, tied = a_run((0.4, 0.5), (0.45, 0.45), (0.3, 0.5), name="a")
    (unknown,) = a_run((0.01, None), name="b")
    assert shown(viewer) == [unknown, likely, tied, certain]
    assert b"range unknown" in viewer.get("/reviews").content


def test_what_is_decided_comes_after_all_that_waits_for_a_person(
    viewer: Client, person: Any
) -> None:
    first, second, third, last = a_run((0.5, 0.9), (0.4, 0.5), (0.3, 0.4), (0.1, 0.2), name="a")
    Standing.objects.create(policy=second, state=State.REJECTED)
    approve_in_the_database(first, person(Role.APPROVER))
    Standing.objects.create(policy=last, state=State.IN_REVIEW)
    assert shown(viewer) == [third, last, first, second]
    order = [queue.neighbours(one, person(Role.VIEWER)) for one in (third, last, first, second)]
    assert order == [(None, last), (third, first), (last, second), (first, None)]
    Policy.objects.filter(pk=first.pk).update(sha256="0" * 64)
    assert shown(viewer) == [first, third, last, second], "another content waits for a person"


def approve_in_the_database(policy: Policy, approver: Any) -> None:
    job = Job.objects.create(kind="reevaluation")
    asked = Reevaluation.objects.create(
        policy=policy, job=job, sha256=policy.sha256, program="", grammar="3.11", seed=1,
        signature="", public_key="", episodes=2,
    )  # fmt: skip
    approval = Approval.objects.create(
        policy=policy, sha256=policy.sha256, evaluated_sha256=policy.sha256, approver=approver,
        reevaluation=asked, statement="I read it.",
    )  # fmt: skip
    Standing.objects.create(policy=policy, state=State.APPROVED, approval=approval)


def test_what_nobody_can_read_is_not_in_it_but_is_counted_with_the_reason(
    viewer: Client,
) -> None:
    (first, gone) = a_run((0.5, 0.6), (0.5, 0.6))
    builders.add_policy(first.run, "", name="bot", origin=Origin.BOT)
    builders.add_policy(first.run, "w = 1\n", name="net", origin=Origin.TRAINED)
    Policy.objects.filter(pk=gone.pk).update(withdrawn_by=1)
    assert shown(viewer) == [first]
    page = viewer.get("/reviews").content.decode()
    assert "1 reference bot (no program to read)" in page
    assert "1 black box (the weights of a network" in page
    assert "1 withdrawn" in page


def test_it_is_narrowed_by_game_run_and_state(viewer: Client) -> None:
    (first,) = a_run((0.5, 0.6))
    (second,) = a_run((0.5, 0.7), game="leduc")
    Standing.objects.create(policy=second, state=State.IN_REVIEW)
    assert shown(viewer, "game=leduc") == [second]
    assert shown(viewer, f"run={first.run_id}") == [first]
    assert shown(viewer, "state=unreviewed") == [first]
    assert shown(viewer, "state=in_review") == [second]
    assert shown(viewer, "state=nonsense&game=&run=zz") == [second, first]


@pytest.mark.parametrize("page", ["/", "/reviews", "/approvals?show=all"])
def test_games_are_offered_by_title_and_only_those_of_runs_that_are_seen(
    page: str, viewer: Client
) -> None:
    a_run((0.5, 0.6), game="leduc")
    told = viewer.get(page).content.decode()
    assert '<option value="leduc">Repeated Leduc Hold&#x27;em</option>' in told
    Run.objects.update(team=Team.objects.create(name="Others", slug="others"))
    assert "Leduc" not in viewer.get(page).content.decode()


def test_mine_is_what_i_committed_or_reviewed(as_role: Any, person: Any) -> None:
    other, edited, reviewed = a_run((0.1, 0.2), (0.1, 0.3), (0.1, 0.4))
    me = person(Role.REVIEWER)
    Change.objects.create(
        run=edited.run, number=1, kind="commit", author=me, reason="r", policy=edited,
        source="x = 1\n", sha256=edited.sha256, name="n", origin=Origin.EDITED,
    )  # fmt: skip
    reviewed.reviews.create(author=me, run=reviewed.run)
    assert shown(as_role(Role.REVIEWER), "mine=1") == [reviewed, edited]
    assert shown(as_role(Role.VIEWER), "mine=1") == []
    assert other in shown(as_role(Role.REVIEWER))


def test_only_runs_that_may_be_seen_are_in_it_and_counted(viewer: Client) -> None:
    (hidden,) = a_run((0.5, 0.9), name="secret")
    builders.add_policy(hidden.run, "", name="bot", origin=Origin.BOT)
    Run.objects.filter(pk=hidden.run_id).update(team=Team.objects.create(name="E", slug="e"))
    (mine,) = a_run((0.5, 0.6))
    assert shown(viewer) == [mine]
    page = viewer.get(f"/reviews?run={hidden.run_id}").content
    assert b"secret" not in page
    assert b"reference bot" not in page
    assert b"secret" not in viewer.get(f"/policies/{mine.pk}").content


def test_the_neighbours_of_each_policy_are_those_of_the_queue(person: Any) -> None:
    a_run((0.4, 0.5), (0.45, 0.45), (0.3, 0.5), name="a")
    a_run((0.01, None), (0.2, None), name="b")
    builders.add_policy(builders.make_run(), "y = 1\n", name="no weight at all")
    user = person(Role.VIEWER)
    order = list(queue.queue(user))
    assert order[0].weight is None
    for place, policy in enumerate(order):
        before, after = queue.neighbours(policy, user)
        assert before == (order[place - 1] if place else None)
        assert after == (order[place + 1] if place + 1 < len(order) else None)


def test_a_policy_page_leads_to_the_next_one_and_to_what_it_was_edited_from(
    viewer: Client, person: Any
) -> None:
    first, second = a_run((0.4, 0.5), (0.3, 0.4))
    Policy.objects.filter(pk=second.pk).update(change_number=1)
    Change.objects.create(
        run=second.run, number=1, kind="commit", author=person(Role.REVIEWER), reason="r",
        policy=second, parent=first, source="x = 1\n", sha256=second.sha256, name="n",
        origin=Origin.EDITED,
    )  # fmt: skip
    page = viewer.get(f"/policies/{first.pk}").content.decode()
    assert f'href="/policies/{second.pk}" data-key="."' in page
    page = viewer.get(f"/policies/{second.pk}").content.decode()
    assert f'href="/policies/{first.pk}/diff/{second.pk}" data-key="d"' in page


def test_ten_thousand_policies_make_a_page_of_fifty_in_a_second_with_few_queries(
    viewer: Client, django_assert_max_num_queries: Any
) -> None:
    source = "# a program\n" * 300
    for _ in range(50):
        run = builders.make_run()
        Policy.objects.bulk_create(
            Policy(
                run=run, index=n, name=f"p{n}", origin=Origin.REFINED, source=f"{source}{n}",
                sha256=f"{n:064}", weight=n / 400, weight_high=n / 300, urgency=n / 300,
            )
            for n in range(200)
        )  # fmt: skip
    for query in ("", "state=unreviewed&game=rrps&mine=1", "page=150", "state=approved"):
        with django_assert_max_num_queries(20):
            viewer.get(f"/reviews?{query}")
        started = time.process_time()
        response = viewer.get(f"/reviews?{query}")
        assert time.process_time() - started < 1.0, query
        assert len(response.context["rows"]) <= queue.PER_PAGE
    policy = Policy.objects.order_by("-urgency").first()
    assert policy is not None
    started = time.process_time()
    queue.neighbours(policy, response.wsgi_request.user)
    assert time.process_time() - started < 0.2
