"""Two people, or people and a worker, at the same moment: nothing is lost or counted twice."""

from __future__ import annotations

import pytest

from csro_web.accounts.models import Role, User
from csro_web.changes import services as changes
from csro_web.changes.services import ChangeError
from csro_web.runs.models import RunState
from csro_web.runs.worker import Worker
from tests.changes.real_runs import (
    CALLER,
    RAISER,
    finish,
    is_what_its_results_say,
    launch,
    member,
    work_until,
)
from tests.together import raised_at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_people_who_commit_at_once_both_join(anna: User, worker: Worker) -> None:
    ben = User.objects.create_user("ben", role=Role.REVIEWER)
    run = finish(launch(), worker)
    parent = member(run, 0)
    raised = raised_at_once(
        lambda: changes.commit(run=run, person=anna, source=CALLER, reason="x", parent=parent),
        lambda: changes.commit(run=run, person=ben, source=RAISER, reason="y", parent=parent),
    )
    assert raised == []
    run = finish(run, worker)
    assert list(run.changes.values_list("outcome", flat=True)) == ["joined", "joined"]
    assert {p.sha256 for p in run.policies.all()} >= set(
        run.changes.values_list("sha256", flat=True)
    )
    is_what_its_results_say(run)


def test_of_two_people_who_commit_the_same_program_one_is_refused(
    anna: User, worker: Worker
) -> None:
    ben = User.objects.create_user("ben", role=Role.REVIEWER)
    run = finish(launch(), worker)
    parent = member(run, 0)
    raised = raised_at_once(
        *(
            lambda person=person: changes.commit(
                run=run, person=person, source=CALLER, reason="x", parent=parent
            )
            for person in (anna, ben)
        )
    )
    (refused,) = raised
    assert isinstance(refused, ChangeError)
    assert "which change 1 is about to add" in str(refused)
    assert run.changes.count() == 1
    is_what_its_results_say(finish(run, worker))


def test_people_and_a_worker_at_once(anna: User, worker: Worker) -> None:
    """Nothing is lost or counted twice, wherever in the run the changes happen to land."""
    run = launch()
    work_until(run, worker, "it1/solve")
    parent = member(run, 0)
    raised = raised_at_once(
        lambda: finish(run, worker),
        lambda: changes.commit(run=run, person=anna, source=CALLER, reason="x", parent=parent),
        lambda: changes.withdraw(policy=parent, person=anna, reason="y"),
    )
    assert raised == []
    run = finish(run, worker)
    assert run.state == RunState.FINISHED
    assert run.changes.filter(outcome__in=["joined", "done"]).count() == 2
    is_what_its_results_say(run)
