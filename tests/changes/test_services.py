"""People change populations of real runs: in one transaction, at a place of its own, or not."""

from __future__ import annotations

from typing import Any

import pytest

from csro_web.accounts.models import User
from csro_web.audit.models import AuditEvent
from csro_web.changes import services as changes
from csro_web.changes.models import Change, Outcome
from csro_web.changes.services import ChangeError
from csro_web.policies.models import Origin
from csro_web.runs import leases, services, steps
from csro_web.runs.models import Run, RunState, Step, StepState
from csro_web.runs.services import RunStateError
from csro_web.runs.worker import Worker
from csro_web.solving import drive
from oracles.config import RunConfig
from oracles.loop import summary_json
from tests.changes.real_runs import (
    CALLER,
    FAULTY,
    RAISER,
    finish,
    is_what_its_results_say,
    launch,
    member,
    work_until,
)

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_finished_run_goes_on_for_a_commit_and_finishes_again(anna: User, worker: Worker) -> None:
    run = finish(launch(), worker)
    ended_at, scores, size = run.ended_at, run.held_out, run.policies.count()
    assert scores
    parent = member(run, size - 1)
    change = changes.commit(
        run=run, person=anna, source=CALLER, reason="A plain opponent.", parent=parent
    )
    run.refresh_from_db()
    assert (change.number, change.before, change.outcome) == (1, None, Outcome.PENDING)
    assert change.name == f"{parent.name}, edited by anna (1)"
    assert (run.state, run.ended_at, run.held_out) == (RunState.RUNNING, ended_at, scores)
    assert run.is_revised
    run = finish(run, worker)
    change.refresh_from_db()
    assert run.state == RunState.FINISHED
    assert (run.ended_at, run.held_out) == (ended_at, scores)
    assert change.outcome == Outcome.JOINED
    policy = change.policy
    assert policy is not None
    assert (policy.index, policy.origin, policy.change_number) == (size, Origin.EDITED, 1)
    assert list(policy.parents.all()) == [parent]
    assert len(run.final_sigma) == size + 1
    assert change.effect["payoff"]["mean"] is not None
    assert len(change.effect["shifts"]) == size + 1
    seeds = {cell.match.seed for cell in run.cells.filter(row=size)}
    assert len(seeds) == size
    assert not seeds & {cell.match.seed for cell in run.cells.filter(row__lt=size)}
    event = AuditEvent.objects.get(action="policy.committed")
    assert (event.actor, event.run_id, event.detail["parent"]) == (anna, run.pk, parent.pk)
    is_what_its_results_say(run)


def test_a_run_that_goes_on_knows_the_commit_from_its_next_mixture_on(
    anna: User, worker: Worker
) -> None:
    run = launch(iterations=2)
    work_until(run, worker, "it1/attempt1/write")
    change = changes.commit(
        run=run, person=anna, source=CALLER, reason="Try this.", parent=member(run, 0)
    )
    assert change.before == 2
    assert not run.steps.filter(key__startswith="change/1/").exists()
    run = finish(run, worker)
    change.refresh_from_db()
    assert run.iterations.get(index=1).policy_index == change.policy.index - 1
    assert len(run.iterations.get(index=2).sigma) == change.policy.index + 1
    assert change.effect is not None
    is_what_its_results_say(run)


def test_a_paused_run_keeps_the_commit_for_later(anna: User, worker: Worker) -> None:
    run = finish(launch(), worker)
    changes.withdraw(policy=member(run, 0), person=anna, reason="Not of interest.")
    services.pause_run(run)
    change = changes.commit(
        run=run, person=anna, source=CALLER, reason="Try this.", parent=member(run, 1)
    )
    run.refresh_from_db()
    assert run.state == RunState.PAUSED
    assert drive.work_on(run.pk, worker, lambda *_: None).state == RunState.PAUSED
    services.resume_run(run, announce=False)
    run = finish(run, worker)
    change.refresh_from_db()
    assert change.outcome == Outcome.JOINED
    assert run.final_sigma[0] == 0
    assert run.paused_seconds == 0  # what happens after the search counts against no budget
    is_what_its_results_say(run)


def test_what_has_faults_is_refused_and_nothing_else_changes(anna: User, worker: Worker) -> None:
    run = finish(launch(), worker)
    sigma, size = run.final_sigma, run.policies.count()
    change = changes.commit(
        run=run, person=anna, source=FAULTY, reason="Try this.", parent=member(run, 0)
    )
    run = finish(run, worker)
    change.refresh_from_db()
    assert change.outcome == Outcome.REFUSED
    assert change.note.startswith("it had faults when it was played (exception")
    assert (change.policy, change.effect, run.final_sigma) == (None, None, sigma)
    assert run.policies.count() == size
    assert run.state == RunState.FINISHED
    is_what_its_results_say(run)


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("import os\n" + CALLER, 1, "os"),
        ("class Policy:\n    def act(self, obs)\n        return 1\n", 2, "expected ':'"),
        ("x = 1\n", None, "class"),
        ("class Policy:\n    def act(self, obs):\n        return '\u202e'\n", 3, "hidden"),
        ("#" * 70_000 + "\n" + CALLER, None, "too long"),
        ("", None, "class"),
    ],
)
def test_what_is_no_policy_is_not_recorded(
    anna: User, worker: Worker, source: str, line: int | None, words: str
) -> None:
    run = launch()
    with pytest.raises(ChangeError, match="no policy yet") as refused:
        changes.commit(run=run, person=anna, source=source, reason="x", parent=member(run, 0))
    assert refused.value.line == line
    assert words in str(refused.value)
    assert not Change.objects.exists()
    assert not AuditEvent.objects.filter(action="policy.committed").exists()


def test_a_program_with_fences_and_marks_in_its_text_is_committed_as_it_stands(
    anna: User, worker: Worker
) -> None:
    source = CALLER.replace(
        "calls.", "calls.\n\n    ```\n    <<<<<<< SEARCH\n    =======\n    ```\n    "
    )
    run = finish(launch(), worker)
    change = changes.commit(run=run, person=anna, source=source, reason="x", parent=member(run, 0))
    assert change.source == source


def test_the_same_program_is_refused_by_name(anna: User, worker: Worker) -> None:
    run = finish(launch(), worker)
    nobody = "# mine\n" + member(run, 0).source
    with pytest.raises(ChangeError, match=r"the same program as .* \(policy 0\)") as refused:
        changes.commit(run=run, person=anna, source=nobody, reason="x", parent=member(run, 0))
    assert refused.value.policy == member(run, 0)
    changes.commit(run=run, person=anna, source=CALLER, reason="x", parent=member(run, 0))
    with pytest.raises(ChangeError, match="which change 1 is about to add"):
        changes.commit(
            run=run, person=anna, source=f"\n{CALLER}", reason="x", parent=member(run, 0)
        )
    run.refresh_from_db()
    assert run.changes.count() == 1


def test_withdrawing_and_restoring(anna: User, worker: Worker) -> None:
    run = finish(launch(), worker)
    first = run.final_sigma
    heaviest = max(range(len(first)), key=first.__getitem__)
    change = changes.withdraw(policy=member(run, heaviest), person=anna, reason="It cheats.")
    with pytest.raises(ChangeError, match="withdrawn already"):
        changes.withdraw(policy=member(run, heaviest), person=anna, reason="Again.")
    run = finish(run, worker)
    change.refresh_from_db()
    assert member(run, heaviest).withdrawn_by == 1
    assert run.final_sigma[heaviest] == 0
    assert (change.outcome, change.policy.index) == (Outcome.DONE, heaviest)
    after = change.effect["exploitability_after"]
    assert after["mean"] >= change.effect["exploitability_before"]["mean"]
    changes.restore(policy=member(run, heaviest), person=anna, reason="It does not.")
    run = finish(run, worker)
    assert run.final_sigma == pytest.approx(first)
    assert member(run, heaviest).withdrawn_by is None
    with pytest.raises(ChangeError, match="is not withdrawn"):
        changes.restore(policy=member(run, heaviest), person=anna, reason="Again.")
    actions = AuditEvent.objects.filter(action__startswith="policy.").order_by("sequence")
    assert [e.action for e in actions] == ["policy.withdrawn", "policy.restored"]
    is_what_its_results_say(run)


def test_somebody_is_left_to_play(anna: User, worker: Worker) -> None:
    run = finish(launch(), worker)
    *others, last = run.policies.all()
    for policy in others:
        changes.withdraw(policy=policy, person=anna, reason="Away.")
    with pytest.raises(ChangeError, match="the last policy that mixtures may play"):
        changes.withdraw(policy=last, person=anna, reason="Away.")
    run = finish(run, worker)
    assert run.final_sigma[last.index] == 1


@pytest.mark.parametrize("reason", ["", "  \n ", "x" * 5000])
def test_a_reason_is_needed(anna: User, reason: str) -> None:
    run = launch()
    with pytest.raises(ChangeError, match=r"Say why|too long"):
        changes.withdraw(policy=member(run, 0), person=anna, reason=reason)
    assert not Change.objects.exists()


def test_runs_without_a_population_of_their_own_take_no_changes(anna: User) -> None:
    cancelled = launch()
    services.cancel_run(cancelled)
    computed = services.create_run(
        config=RunConfig.from_json({"game": "leduc", "oracle": "cfr"}), announce=False
    )
    opponent = {"name": "caller", "source": CALLER}
    challenge = launch(challenge=[opponent], initial=[])
    for run, words in ((cancelled, "cancelled"), (computed, "baseline"), (challenge, "challenge")):
        with pytest.raises(ChangeError, match=words):
            changes.commit(run=run, person=anna, source=RAISER, reason="x", origin=Origin.IMPORTED)
    assert not Change.objects.exists()


def test_hostile_words_are_kept_in_every_database(anna: User, worker: Worker) -> None:
    run = finish(launch(), worker)
    change = changes.commit(
        run=run, person=anna, source=CALLER, reason="NUL \x00 <script>", name="a\x00b\nc",
        origin=Origin.IMPORTED, provenance={"file": "\x00.zip"},
    )  # fmt: skip
    finish(run, worker)
    change.refresh_from_db()
    assert change.name == "a\\x00b c"
    assert change.policy.name == change.name
    assert change.provenance == {"file": "\\x00.zip"}
    with pytest.raises(ChangeError, match="choose a new name"):
        changes.commit(
            run=run, person=anna, source=RAISER, reason="x", name="a\x00b c", origin=Origin.IMPORTED
        )


def test_an_edit_of_another_runs_policy_knows_its_parent(anna: User, worker: Worker) -> None:
    other, run = launch(), finish(launch(), worker)
    parent = member(other, 1)
    change = changes.commit(run=run, person=anna, source=CALLER, reason="x", parent=parent)
    finish(run, worker)
    change.refresh_from_db()
    assert steps.known_results(run.pk)["change/1"]["parent"] is None
    assert list(change.policy.parents.all()) == [parent]


def test_what_fails_in_a_revision_pauses_the_run_and_leaves_its_scores(
    anna: User, worker: Worker, settings: Any
) -> None:
    run = finish(launch(), worker)
    change = changes.withdraw(policy=member(run, 0), person=anna, reason="x")
    step = run.steps.get(state=StepState.READY)
    for _ in range(settings.STEP_ATTEMPTS):
        owner = leases.claim(step.pk)
        assert owner is not None
        leases.fail(leases.held(step.pk, owner), "MetaGameError: no")
    run.refresh_from_db()
    assert run.state == RunState.PAUSED
    assert run.pause_reason.endswith(f"failed {settings.STEP_ATTEMPTS} times: MetaGameError: no")
    assert run.held_out
    for refuse in (services.cancel_run, services.finish_run):
        with pytest.raises(RunStateError, match="its search has ended"):
            refuse(run)
    services.resume_run(run, announce=False)
    assert finish(run, worker).state == RunState.FINISHED
    change.refresh_from_db()
    assert change.outcome == Outcome.DONE


def test_no_limit_of_the_search_stops_a_revision(anna: User, worker: Worker) -> None:
    run = finish(launch(budget={"minutes": 10}), worker)
    Run.objects.filter(pk=run.pk).update(started_at="2020-01-01T00:00:00Z")
    change = changes.commit(run=run, person=anna, source=CALLER, reason="x", parent=member(run, 0))
    finish(run, worker)
    change.refresh_from_db()
    assert change.outcome == Outcome.JOINED
    assert not Step.objects.filter(run=run, kind="write", key__startswith="change").exists()


def test_the_answer_of_solve_tells_what_people_changed(anna: User, worker: Worker) -> None:
    run = finish(launch(), worker)
    changes.withdraw(policy=member(run, 0), person=anna, reason="x")
    run = finish(run, worker)
    answer = summary_json(RunConfig.from_json(run.config), steps.known_state(run))
    assert answer["changes"] == [
        {"number": 1, "change": "withdraw", "policy": 0, "before": None, "outcome": "done",
         "note": "", "sha256": None},
    ]  # fmt: skip
    assert answer["newest_mixture"] == run.final_sigma
