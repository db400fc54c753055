"""At which versions a thread is open, and how many queries it takes to know."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from csro_web.accounts.models import Role
from csro_web.changes.models import Change, ChangeKind
from csro_web.policies.models import Policy
from csro_web.reviews import lineage, selectors
from csro_web.reviews.models import Decision, Review, State, Thread
from csro_web.reviews.standing import Standing
from tests.web import builders
from tests.web.review_builders import add_thread, refine

pytestmark = pytest.mark.django_db


@pytest.fixture
def chain() -> list[Policy]:
    """Three versions in a line, and a policy beside it."""
    run = builders.make_run()
    first = builders.add_policy(run, builders.FIRST, name="first")
    second = refine(first, builders.refined(builders.FIRST, 1), name="second")
    third = refine(second, builders.refined(builders.FIRST, 2), name="third")
    return [first, second, third, builders.add_policy(run, "class Policy: ...\n", name="aside")]


def resolve(thread: Thread, person: Any, **fields: Any) -> dict[str, Any]:
    return {"state": State.RESOLVED, "resolved_by": person, "resolved_at": timezone.now(), **fields}


def standings(policies: list[Policy]) -> list[list[Standing]]:
    return [[one.standing for one in selectors.threads_of(policy)] for policy in policies]


def policies_of(line: lineage.Line) -> list[int]:
    """Without the candidates that they were, and those between them."""
    return [int(one) for one in line if not one.startswith("c")]


def test_a_refinement_that_joined_continues_the_line_over_steps_that_did_not(
    chain: list[Policy],
) -> None:
    first, second, third, aside = chain
    assert policies_of(lineage.line_of(third)) == [third.pk, second.pk, first.pk]
    assert lineage.line_of(aside) == (str(aside.pk),)


def test_being_shown_to_the_writer_makes_no_earlier_version(chain: list[Policy]) -> None:
    first, _, _, aside = chain
    aside.parents.add(first)
    assert lineage.line_of(aside) == (str(aside.pk),)


def test_a_thread_is_open_at_its_policy_and_at_all_that_descends_from_it(
    chain: list[Policy], person: Any
) -> None:
    first, second, third, aside = chain
    add_thread(second, person(Role.REVIEWER), first=3)
    assert standings(chain) == [[], [Standing.OPEN], [Standing.OPEN], []]
    counts = {first.pk: 0, second.pk: 1, third.pk: 1, aside.pk: 0}
    assert selectors.open_thread_counts(counts) == counts
    assert [one.is_carried for one in selectors.open_threads(third)] == [True]
    assert [one.is_carried for one in selectors.open_threads(second)] == [False]


def test_a_draft_is_no_thread_for_anybody(chain: list[Policy], person: Any) -> None:
    add_thread(chain[0], person(Role.REVIEWER), first=3, published_at=None)
    assert standings(chain) == [[], [], [], []]
    assert selectors.open_thread_counts([chain[0].pk]) == {chain[0].pk: 0}


def test_what_an_edit_answers_is_resolved_for_its_line_and_open_where_it_was_asked(
    chain: list[Policy], person: Any
) -> None:
    asker = person(Role.REVIEWER)
    thread = add_thread(chain[0], asker, first=3)
    Decision.objects.create(thread=thread, policy=chain[1], **resolve(thread, asker))
    assert standings(chain[:3]) == [[Standing.OPEN], [Standing.RESOLVED], [Standing.RESOLVED]]
    Decision.objects.create(thread=thread, policy=chain[2], state=State.OPEN)
    assert standings(chain[:3]) == [[Standing.OPEN], [Standing.RESOLVED], [Standing.OPEN]]
    ids = [policy.pk for policy in chain]
    assert list(selectors.open_thread_counts(ids).values()) == [1, 0, 1, 0]


def test_resolved_where_it_was_asked_is_resolved_for_every_later_version(
    chain: list[Policy], person: Any
) -> None:
    asker = person(Role.REVIEWER)
    thread = add_thread(chain[0], asker, first=3)
    Thread.objects.filter(pk=thread.pk).update(**resolve(thread, asker))
    assert standings(chain[:3]) == [[Standing.RESOLVED]] * 3


def test_a_thread_that_waits_for_its_asker_counts_as_open(chain: list[Policy], person: Any) -> None:
    asker = person(Role.REVIEWER)
    thread = add_thread(chain[0], asker, first=3, wants_confirmation=True)
    Thread.objects.filter(pk=thread.pk).update(**resolve(thread, person(Role.OPERATOR)))
    assert standings(chain[:1]) == [[Standing.WAITING]]
    assert len(selectors.open_threads(chain[2])) == 1
    Thread.objects.filter(pk=thread.pk).update(confirmed_by=asker, confirmed_at=timezone.now())
    assert standings(chain[:1]) == [[Standing.RESOLVED]]


def test_the_database_keeps_one_draft_and_no_half_resolution(
    chain: list[Policy], person: Any
) -> None:
    asker = person(Role.REVIEWER)
    thread = add_thread(chain[0], asker, first=3)
    new = {"policy": chain[0], "run": chain[0].run, "sha256": chain[0].sha256, "author": asker}
    Review.objects.create(**new)
    with pytest.raises(IntegrityError), transaction.atomic():
        Review.objects.create(**new)
    with pytest.raises(IntegrityError), transaction.atomic():
        Thread.objects.filter(pk=thread.pk).update(state=State.RESOLVED)
    with pytest.raises(IntegrityError), transaction.atomic():
        Thread.objects.filter(pk=thread.pk).update(confirmed_by=asker)
    with pytest.raises(IntegrityError), transaction.atomic():
        Thread.objects.filter(pk=thread.pk).update(last_line=1)


def test_the_number_of_queries_does_not_follow_the_number_of_threads(
    chain: list[Policy], person: Any, django_assert_max_num_queries: Any
) -> None:
    asker = person(Role.REVIEWER)
    for _ in range(40):
        thread = add_thread(chain[0], asker, first=3)
        Decision.objects.create(thread=thread, policy=chain[1], **resolve(thread, asker))
    with django_assert_max_num_queries(6):
        found = selectors.threads_of(chain[2])
        assert [one.thread.opened_by.username for one in found] == ["reviewer"] * 40
    with django_assert_max_num_queries(7):
        assert selectors.open_thread_counts([chain[0].pk, chain[1].pk]) == {
            chain[0].pk: 40,
            chain[1].pk: 0,
        }


def test_an_edit_continues_the_line_of_what_it_was_edited_from_in_its_own_run(
    chain: list[Policy], person: Any
) -> None:
    author = person(Role.REVIEWER)
    edits = {"kind": ChangeKind.COMMIT, "author": author, "reason": "x", "origin": "edited"}
    fields = {"source": "# mine\n", "sha256": "1" * 64, "name": "mine", **edits}
    mine = builders.add_policy(chain[0].run, "# mine\n", name="mine", origin="edited")
    Change.objects.create(run=mine.run, number=1, policy=mine, parent=chain[1], **fields)
    assert policies_of(lineage.line_of(mine)) == [mine.pk, chain[1].pk, chain[0].pk]
    run = builders.make_run()
    away = builders.add_policy(run, "# mine\n", name="mine", origin="imported")
    Change.objects.create(run=run, number=1, policy=away, parent=chain[1], **fields)
    assert lineage.line_of(away) == (str(away.pk),)
