"""Nobody who had a hand in a policy may be missed, however long ago and in whichever run."""

from __future__ import annotations

import pytest
from django.utils import timezone

from csro_web.accounts.models import Role, User
from csro_web.answers.models import Answer
from csro_web.changes import imports
from csro_web.changes.models import Change, Trial
from csro_web.changes.selectors import people_behind
from csro_web.jobs.models import Job
from csro_web.policies.models import Origin, Policy
from csro_web.runs.models import Run, Step, StepState
from games.players import source_sha256
from tests.changes.test_services import CALLER, launch
from tests.web import builders

pytestmark = pytest.mark.django_db


def someone(name: str) -> User:
    return User.objects.create_user(name, role=Role.REVIEWER)


def committed(run: Run, source: str, author: User, *, parent: Policy | None = None) -> Policy:
    number = run.changes.count() + 1
    origin = Origin.IMPORTED if parent is None else Origin.EDITED
    policy = builders.add_policy(
        run, source, name=f"change {number}", origin=origin, change_number=number
    )
    Change.objects.create(
        run=run, number=number, kind="commit", author=author, reason="to test", policy=policy,
        parent=parent, source=source, sha256=policy.sha256, name=policy.name, origin=origin,
        outcome="joined",
    )  # fmt: skip
    return policy


def answered(run: Run, key: str, by: User) -> None:
    order = run.steps.count()
    step = Step.objects.create(
        run=run, key=f"{key}/write", kind="write", order=order, state=StepState.DONE, result={}
    )
    Answer.objects.create(step=step, person=by, text="...", sent_at=timezone.now())


def test_who_launched_edited_and_imported() -> None:
    anna, ben, carl = (someone(name) for name in ("anna", "ben", "carl"))
    run = builders.make_run()
    run.launched_by = carl
    run.save()
    first = builders.add_policy(run, builders.FIRST, name="best response 1")
    assert people_behind(first) == {carl.pk: ["launched its run"]}
    edit = committed(run, builders.refined(builders.FIRST, 1), anna, parent=first)
    again = committed(run, builders.refined(builders.FIRST, 2), ben, parent=edit)
    assert people_behind(again) == {
        ben.pk: ["edited it"],
        carl.pk: ["launched its run", "launched the run of an ancestor of it"],
        anna.pk: ["edited an ancestor of it"],
    }


def test_an_edit_is_followed_into_the_run_that_it_came_from() -> None:
    anna, ben, carl = (someone(name) for name in ("anna", "ben", "carl"))
    run, other = builders.make_run(), builders.make_run()
    run.launched_by = carl
    run.save()
    first = builders.add_policy(run, builders.FIRST, name="best response 1")
    edit = committed(run, builders.refined(builders.FIRST, 1), anna, parent=first)
    there = committed(other, builders.refined(builders.FIRST, 2), ben, parent=edit)
    assert people_behind(there) == {
        ben.pk: ["edited it"],
        anna.pk: ["edited an ancestor of it"],
        carl.pk: ["launched the run of an ancestor of it"],
    }


def test_an_import_does_not_hide_who_edited_the_same_program_elsewhere() -> None:
    anna, ben = someone("anna"), someone("ben")
    run, other = builders.make_run(), builders.make_run()
    first = builders.add_policy(run, builders.FIRST, name="best response 1")
    committed(run, builders.refined(builders.FIRST, 1), anna, parent=first)
    brought = committed(other, builders.refined(builders.FIRST, 1), ben)
    assert people_behind(brought) == {
        anna.pk: [f"edited it into run {run.pk}"],
        ben.pk: ["imported it"],
    }


def test_who_answered_for_the_writer_or_for_what_it_was_refined_from() -> None:
    anna, ben, carl = (someone(name) for name in ("anna", "ben", "carl"))
    run = builders.make_run(writer="manual")
    first = builders.add_candidate(run, 1, 1)
    second = builders.add_candidate(run, 1, 2, parent=first)
    other = builders.add_candidate(run, 1, 3)
    for candidate, who in ((first, anna), (second, ben), (other, carl)):
        answered(run, candidate.key, who)
    policy = builders.add_policy(run, second.source, name="best response 1", candidate=second)
    words = ["answered in the writer's place for it"]
    assert people_behind(policy) == {anna.pk: words, ben.pk: words}
    replay = builders.make_run(writer="replay", recording=str(run.pk))
    copied = builders.add_candidate(replay, 1, 1)
    same = builders.add_policy(replay, copied.source, name="best response 1", candidate=copied)
    assert people_behind(same) == {anna.pk: words}


def test_opponents_that_a_writer_was_shown_are_no_ancestors() -> None:
    anna = someone("anna")
    run = builders.make_run()
    first = builders.add_policy(run, builders.FIRST, name="nash")
    edit = committed(run, builders.refined(builders.FIRST, 1), anna, parent=first)
    response = builders.add_policy(run, builders.refined(builders.FIRST, 2), name="best response 1")
    response.parents.set([edit])
    assert people_behind(response) == {}


def test_a_program_that_one_person_brought_and_another_committed_is_of_both() -> None:
    anna, ben = someone("anna"), someone("ben")
    run = launch()
    pending = imports.paste(run=run, person=anna, text=CALLER, name="caller")
    assert imports.commit(pending=pending, person=ben, chosen={0: "caller"}, reason="for anna") == 1
    change = Change.objects.get()
    joined = builders.add_policy(run, change.source, name="caller", origin=Origin.IMPORTED)
    Change.objects.filter(pk=change.pk).update(policy=joined)
    assert people_behind(joined) == {ben.pk: ["imported it"], anna.pk: ["brought it"]}


def test_who_first_tried_an_edit_wrote_it_whoever_committed_it() -> None:
    anna, ben, carl = (someone(name) for name in ("anna", "ben", "carl"))
    run = builders.make_run()
    first = builders.add_policy(run, builders.FIRST, name="best response 1")
    text = builders.refined(builders.FIRST, 1)
    for who, source in ((carl, builders.FIRST), (anna, text), (carl, text)):
        Trial.objects.create(
            run=run, policy=first, person=who, source=source, sha256=source_sha256(source),
            episodes=2, job=Job.objects.create(kind="trial"),
        )  # fmt: skip
    edit = committed(run, text, ben, parent=first)
    assert people_behind(edit) == {ben.pk: ["edited it"], anna.pk: ["first tried it"]}
    same = committed(run, builders.FIRST, ben)
    assert people_behind(same) == {ben.pk: ["imported it"]}, "trying what is there writes nothing"


def test_pasting_does_not_hide_who_wrote_the_same_program_in_another_run() -> None:
    anna, ben, carl = (someone(name) for name in ("anna", "ben", "carl"))
    run, other = builders.make_run(writer="manual"), builders.make_run()
    run.launched_by = carl
    run.save()
    candidate = builders.add_candidate(run, 1, 1)
    answered(run, candidate.key, anna)
    builders.add_policy(run, candidate.source, name="best response 1", candidate=candidate)
    pasted = committed(other, candidate.source, ben)
    assert people_behind(pasted) == {
        ben.pk: ["imported it"],
        carl.pk: ["launched the run of an ancestor of it"],
        anna.pk: ["answered in the writer's place for an ancestor of it"],
    }
