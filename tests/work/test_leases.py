"""A step belongs to one worker at a time, and only its owner's result is saved."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.db import connection
from django.utils import timezone

from csro_web.leases.outcome import Outcome
from csro_web.runs import leases, projections, results, services, steps
from csro_web.runs.models import Run, RunState, Step, StepState
from csro_web.runs.results import Saved, record_result
from csro_web.runs.worker import Worker
from oracles.config import RunConfig
from oracles.steps import StepResult
from tests.work.place import TINY

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker(engine_workers=1, announce=False)
    yield made
    made.close()


@pytest.fixture
def step() -> Step:
    run = services.create_run(config=RunConfig.from_json(TINY), announce=False)
    found = run.steps.first()
    assert found is not None
    return found


def work(worker: Worker, step: Step) -> StepResult:
    """What the step really finds; nothing is saved."""
    return worker._execute(step, lambda: False)


def let_expire(step: Step) -> None:
    late = timezone.now() - timedelta(seconds=1)
    Step.objects.filter(pk=step.pk).update(lease_until=late)


def test_of_many_who_claim_at_once_exactly_one_gets_the_step(step: Step) -> None:
    owners: list[str | None] = []
    together = threading.Barrier(8)

    def claim() -> None:
        try:
            together.wait()
            owners.append(leases.claim(step.pk))
        finally:
            connection.close()

    threads = [threading.Thread(target=claim) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(owners) == 8
    assert sum(owner is not None for owner in owners) == 1
    step.refresh_from_db()
    assert step.attempts == 1


def test_a_result_after_the_lease_went_to_another_is_discarded(step: Step, worker: Worker) -> None:
    late = leases.claim(step.pk)
    assert late
    found = work(worker, step)
    let_expire(step)
    assert leases.release_lost() == 1
    owner = leases.claim(step.pk)
    assert owner
    assert not leases.held(step.pk, late).renew()
    assert record_result(step_id=step.pk, owner=late, result=found) is Saved.LEASE_LOST
    assert record_result(step_id=step.pk, owner=owner, result=found) is Saved.YES
    assert record_result(step_id=step.pk, owner=owner, result=found) is Saved.LEASE_LOST
    step.run.refresh_from_db()
    assert (step.run.folded, step.run.steps_done) == (1, 1)


def test_a_result_of_a_cancelled_run_is_not_added_to_it(step: Step, worker: Worker) -> None:
    owner = leases.claim(step.pk)
    assert owner
    found = work(worker, step)
    services.cancel_run(step.run)
    assert record_result(step_id=step.pk, owner=owner, result=found) is Saved.RUN_ENDED
    step.refresh_from_db()
    assert (step.state, step.result) == (StepState.CLAIMED, None)
    assert step.run.cells.count() == 0


def test_cancelling_takes_effect_inside_a_step(
    step: Step, worker: Worker, settings: LazySettings
) -> None:
    """The heartbeat notices; the matches are stopped; nothing is saved."""
    settings.LEASE_SECONDS = 0.5
    long = RunConfig.from_json({**TINY, "episodes": 10_000})
    run = services.create_run(config=long, announce=False)
    claimed = threading.Event()

    def cancel() -> None:
        try:
            while not Step.objects.filter(run=run, state=StepState.CLAIMED).exists():
                claimed.wait(0.01)
            services.cancel_run(run)
        finally:
            connection.close()

    thread = threading.Thread(target=cancel)
    thread.start()
    first = run.steps.first()
    assert first is not None
    assert worker.perform(first.pk) is Outcome.GIVEN_BACK
    thread.join()
    first.refresh_from_db()
    assert (first.state, first.attempts) == (StepState.READY, 0)


def test_a_step_whose_workers_die_again_and_again_fails_its_run(
    step: Step, settings: LazySettings
) -> None:
    settings.STEP_ATTEMPTS = 3
    for _ in range(3):
        assert leases.claim(step.pk)
        let_expire(step)
        assert leases.release_lost() == 1
    step.refresh_from_db()
    assert step.state == StepState.FAILED
    run = Run.objects.get(pk=step.run_id)
    assert run.state == RunState.FAILED
    assert "failed 3 times" in run.failure
    assert "memory" in run.failure
    assert leases.claim(step.pk) is None


def test_what_goes_wrong_in_a_step_is_counted_and_shown(
    step: Step, worker: Worker, settings: LazySettings
) -> None:
    settings.STEP_ATTEMPTS = 1
    Step.objects.filter(pk=step.pk).update(inputs={"row": 1})  # as if damaged from outside
    assert worker.perform(step.pk) is Outcome.FAILED
    step.refresh_from_db()
    assert "KeyError" in step.failure
    assert Run.objects.get(pk=step.run_id).state == RunState.FAILED


def test_a_step_that_its_run_does_not_ask_for_fails_it_instead_of_coming_back_for_ever(
    step: Step, worker: Worker, settings: LazySettings
) -> None:
    settings.STEP_ATTEMPTS = 2
    Step.objects.filter(pk=step.pk).update(key="of/another/version")
    assert worker.perform(step.pk) is Outcome.FAILED
    assert worker.perform(step.pk) is Outcome.FAILED
    run = Run.objects.get(pk=step.run_id)
    assert run.state == RunState.FAILED
    assert "does not ask for of/another/version" in run.failure


def test_what_is_kept_of_an_error_holds_no_secret_and_can_be_stored(
    step: Step, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> StepResult:
        raise RuntimeError("no answer from https://me:hunter22@models/ \x00")

    monkeypatch.setattr(worker, "_execute", fail)
    assert worker.perform(step.pk) is Outcome.FAILED
    step.refresh_from_db()
    assert step.failure.startswith("RuntimeError: no answer from https://me:[hidden]@models/")
    assert step.state == StepState.READY


def test_the_steps_of_a_dead_process_here_are_given_back_at_once(step: Step) -> None:
    import subprocess
    import sys

    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    owner = leases.claim(step.pk)
    assert owner
    assert leases.release_lost() == 0  # ours: we live
    place, _, ticket = owner.split(":")
    Step.objects.filter(pk=step.pk).update(owner=f"{place}:{gone.pid}:{ticket}")
    assert leases.release_lost() == 1
    Step.objects.filter(pk=step.pk).update(
        state=StepState.CLAIMED,
        owner=f"elsewhere/1:{gone.pid}:{ticket}",
        lease_until=timezone.now() + timedelta(minutes=1),
    )
    assert leases.release_lost() == 0


def test_a_worker_told_to_stop_gives_nothing_up_and_takes_nothing_on(
    step: Step, worker: Worker
) -> None:
    worker.stop()
    assert worker.perform(step.pk) is Outcome.NOT_TO_BE_HAD
    step.refresh_from_db()
    assert (step.state, step.attempts) == (StepState.READY, 0)


def test_writing_the_projections_again_changes_nothing(worker: Worker) -> None:
    run = services.create_run(config=RunConfig.from_json(TINY), announce=False)
    while (step := run.steps.filter(state=StepState.READY).first()) is not None:
        assert worker.perform(step.pk) is Outcome.SAVED
    run.refresh_from_db()
    assert run.state == RunState.FINISHED

    def rows() -> list[list[dict[str, object]]]:
        tables = (run.policies, run.candidates, run.iterations, run.cells)
        return [list(table.order_by("pk").values()) for table in tables]

    before = rows()
    projections.save(run, before=None, after=steps.known_state(run))
    assert rows() == before
    assert [len(table) for table in before] == [4, 1, 1, 6]


def test_a_result_with_nul_and_lone_surrogates_comes_back_as_it_was(step: Step) -> None:
    text = "a\x00b\ud800c"
    Step.objects.filter(pk=step.pk).update(inputs={"text": text, "zero": -0.0})
    step.refresh_from_db()
    assert step.inputs["text"] == text
    assert str(step.inputs["zero"]) == "-0.0"


def test_two_results_saved_at_once_lose_none_of_what_follows(worker: Worker) -> None:
    """Each saver computed what follows without the other's result; one of them has to try again."""
    run = services.create_run(config=RunConfig.from_json(TINY), announce=False)
    pair = list(run.steps.all()[:2])
    assert len(pair) == 2
    owners = [leases.claim(step.pk) for step in pair]
    found = [work(worker, step) for step in pair]
    together = threading.Barrier(2)
    saved: list[Saved] = []

    def save(index: int) -> None:
        try:
            together.wait()
            owner = owners[index]
            assert owner
            saved.append(
                results.record_result(
                    step_id=pair[index].pk, owner=owner, result=found[index], announce=False
                )
            )
        finally:
            connection.close()

    threads = [threading.Thread(target=save, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert saved == [Saved.YES, Saved.YES]
    run.refresh_from_db()
    assert run.folded == 2
    assert run.cells.count() == 3
    assert run.steps.filter(state=StepState.READY, kind="solve").count() == 1


def test_workers_leave_a_run_alone_whose_model_a_terminal_alone_can_reach(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from csro_web.runs import queue, tasks

    sent: list[int] = []
    monkeypatch.setattr(tasks.work_on_step, "apply_async", lambda args, **_: sent.append(args[0]))
    model = {"models": [{"model": "local"}], "api_base": "http://127.0.0.1:9/v1"}
    described = {**TINY, "writer": "llm", "model": model}
    config = RunConfig.from_json(described)
    run = services.create_run(config=config, announce=False, from_terminal=True)
    other = services.create_run(config=RunConfig.from_json(TINY), announce=False)
    assert (run.only_in_terminal, other.only_in_terminal) == (True, False)
    assert queue.send_ready() > 0
    assert set(sent) == set(other.steps.values_list("pk", flat=True))
