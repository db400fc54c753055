"""A job is done by one worker at a time and saved once, whatever happens to its workers."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection, transaction
from django.utils import timezone

from csro_web.accounts.models import Role, User
from csro_web.jobs import kinds, leases, queue, services, work
from csro_web.jobs.kinds import JobRefused, Surroundings
from csro_web.jobs.models import Job, JobState
from csro_web.leases.outcome import Outcome
from csro_web.runs import reconciler
from csro_web.runs.models import Run
from csro_web.runs.worker import Worker
from games.engine import MatchCancelled
from tests.web.builders import make_run

pytestmark = pytest.mark.django_db(transaction=True)
Work = Callable[[Job, Surroundings], Mapping[str, Any]]


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker(engine_workers=1, announce=False)
    yield made
    made.close()


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Makes a kind of job for the test alone; its name."""

    def make(does: Work, save: kinds.Save | None = None) -> str:
        monkeypatch.setitem(kinds._kinds, "made_up", kinds.Kind("made_up", does, save))
        return "made_up"

    return make


def asked(kind: str, **inputs: Any) -> Job:
    return services.enqueue(kind, inputs=inputs, asked_by=None)


def double(job: Job, _: Surroundings) -> Mapping[str, Any]:
    return {"twice": 2 * job.inputs["number"]}


def test_what_a_handler_finds_is_saved_once(kind: Callable[..., str], worker: Worker) -> None:
    job = asked(kind(double), number=21)
    assert work.perform(job.pk, worker) is Outcome.SAVED
    assert work.perform(job.pk, worker) is Outcome.NOT_TO_BE_HAD
    job.refresh_from_db()
    assert (job.state, job.result, job.attempts) == (JobState.DONE, {"twice": 42}, 1)


def test_of_many_who_claim_at_once_exactly_one_gets_the_job(kind: Callable[..., str]) -> None:
    job = asked(kind(double), number=1)
    owners: list[str | None] = []
    together = threading.Barrier(8)

    def claim() -> None:
        try:
            together.wait()
            owners.append(leases.claim(job.pk))
        finally:
            connection.close()

    threads = [threading.Thread(target=claim) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(owner is not None for owner in owners) == 1


def test_a_result_whose_lease_was_lost_meanwhile_is_discarded(
    kind: Callable[..., str], worker: Worker
) -> None:
    def slow(job: Job, _: Surroundings) -> Mapping[str, Any]:
        Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
        assert leases.release_lost() == 1
        assert leases.claim(job.pk)
        return {"from": "the first worker"}

    job = asked(kind(slow))
    assert work.perform(job.pk, worker) is Outcome.DISCARDED
    job.refresh_from_db()
    assert (job.state, job.result) == (JobState.CLAIMED, None)


def test_a_worker_heard_of_in_the_last_moment_keeps_its_job(kind: Callable[..., str]) -> None:
    job = asked(kind(double), number=1)
    owner = leases.claim(job.pk)
    assert owner
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    [(late, why)] = Job.objects.all().lost()
    assert leases.held(job.pk, owner).renew()
    assert not leases.fail(late, why)
    assert leases.held(job.pk, owner).exists()


def test_what_follows_from_a_result_is_saved_with_it_or_neither_is(
    kind: Callable[..., str], worker: Worker, settings: LazySettings
) -> None:
    settings.STEP_ATTEMPTS = 1

    def save(job: Job, _: Mapping[str, Any]) -> None:
        Run.objects.filter(pk=job.inputs["run"]).update(name="written")
        raise OSError("the disk is full")

    run = make_run(name="before")
    job = asked(kind(lambda *_: {}, save), run=run.pk)
    assert work.perform(job.pk, worker) is Outcome.FAILED
    run.refresh_from_db()
    job.refresh_from_db()
    assert run.name == "before"
    assert (job.state, job.result) == (JobState.FAILED, None)
    assert "the disk is full" in job.failure


def test_attempts_are_counted_and_end(
    kind: Callable[..., str], worker: Worker, settings: LazySettings
) -> None:
    settings.STEP_ATTEMPTS = 3

    def break_down(*_: Any) -> Mapping[str, Any]:
        raise RuntimeError("a cable is loose")

    job = asked(kind(break_down))
    outcomes = [work.perform(job.pk, worker) for _ in range(4)]
    assert outcomes == [Outcome.FAILED] * 3 + [Outcome.NOT_TO_BE_HAD]
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.FAILED, 3)
    assert "a cable is loose" in job.failure


def test_a_refusal_is_final_and_its_words_are_shown(
    kind: Callable[..., str], worker: Worker
) -> None:
    def refuse(*_: Any) -> Mapping[str, Any]:
        raise JobRefused("no policy is approved; export a draft")

    job = asked(kind(refuse))
    assert work.perform(job.pk, worker) is Outcome.FAILED
    job.refresh_from_db()
    assert (job.state, job.failure) == (
        JobState.FAILED,
        "no policy is approved; export a draft",
    )


def test_a_kind_that_nobody_does_fails_and_says_so(worker: Worker) -> None:
    job = asked("of_a_later_version")
    assert work.perform(job.pk, worker) is Outcome.FAILED
    job.refresh_from_db()
    assert "of_a_later_version" in job.failure


def test_a_job_that_is_called_off_stops_and_saves_nothing(
    kind: Callable[..., str], worker: Worker
) -> None:
    stopped: list[bool] = []

    def called_off(job: Job, surroundings: Surroundings) -> Mapping[str, Any]:
        assert services.cancel(job)
        stopped.append(not leases.held(job.pk, job.owner).renew())
        return {"too": "late"}

    job = asked(kind(called_off))
    assert work.perform(job.pk, worker) is Outcome.DISCARDED
    job.refresh_from_db()
    assert (job.state, job.result, stopped) == (JobState.CANCELLED, None, [True])
    assert not services.cancel(job)


def test_a_worker_that_ends_gives_its_job_back_without_counting_it(
    kind: Callable[..., str], worker: Worker
) -> None:
    def interrupted(*_: Any) -> Mapping[str, Any]:
        raise MatchCancelled

    job = asked(kind(interrupted))
    assert work.perform(job.pk, worker) is Outcome.GIVEN_BACK
    job.refresh_from_db()
    assert (job.state, job.attempts, job.queued_at) == (JobState.READY, 0, None)


def test_a_job_asked_for_in_a_transaction_that_fails_never_was() -> None:
    def ask_and_fail() -> None:
        with transaction.atomic():
            asked("made_up")
            raise OSError

    with pytest.raises(OSError):
        ask_and_fail()
    assert Job.objects.count() == 0


def test_the_reconciler_sends_what_was_lost(
    kind: Callable[..., str], monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    from csro_web.jobs import tasks

    sent: list[int] = []
    monkeypatch.setattr(tasks.work_on_job, "apply_async", lambda args, **_: sent.append(args[0]))
    job = asked(kind(double), number=1)
    assert sent == [job.pk]
    assert queue.send_ready() == 0
    Job.objects.filter(pk=job.pk).update(queued_at=timezone.now() - timedelta(hours=1))
    reconciler.reconcile()
    assert sent == [job.pk, job.pk]


def test_a_broker_that_is_away_loses_no_job(
    kind: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from csro_web.jobs import tasks

    def away(*_: Any, **__: Any) -> None:
        raise ConnectionRefusedError("no broker")

    monkeypatch.setattr(tasks.work_on_job, "apply_async", away)
    job = asked(kind(double), number=1)
    job.refresh_from_db()
    assert (job.state, job.queued_at) == (JobState.READY, None)


def test_a_worker_does_what_people_wait_for_before_the_next_step_of_a_run(
    kind: Callable[..., str], worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    from csro_web.runs import tasks
    from csro_web.runs import worker as run_worker

    done: list[str] = []
    monkeypatch.setattr(run_worker, "current", lambda: worker)
    name = kind(lambda job, _: done.append(f"job {job.inputs['number']}") or {})
    asked(name, number=1)
    asked(name, number=2)
    monkeypatch.setattr(worker, "perform", lambda step_id: done.append("step") or Outcome.SAVED)
    assert tasks.work_on_step(987654) == "SAVED"
    assert done == ["job 1", "job 2", "step"]


def test_a_job_that_fails_keeps_no_worker_from_its_steps(
    kind: Callable[..., str], worker: Worker
) -> None:
    def break_down(*_: Any) -> Mapping[str, Any]:
        raise RuntimeError("a cable is loose")

    job = asked(kind(break_down))
    work.perform_waiting(worker)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (JobState.READY, 1)


def test_news_of_a_job_in_work_are_shown_and_end_with_it(
    kind: Callable[..., str], worker: Worker
) -> None:
    seen: list[tuple[Any, ...]] = []

    def tell(job: Job, surroundings: Surroundings) -> Mapping[str, Any]:
        surroundings.report(done=3, total=12, words="playing nash_uniform", partial=[1, 2])
        now = Job.objects.get(pk=job.pk)
        seen.append((now.progress_done, now.progress_total, now.progress_words, now.partial))
        return {}

    job = asked(kind(tell))
    assert work.perform(job.pk, worker) is Outcome.SAVED
    job.refresh_from_db()
    assert seen == [(3, 12, "playing nash_uniform", [1, 2])]
    assert job.partial is None


def test_only_who_asked_or_an_administrator_calls_it_off(client: Any) -> None:
    anna, ben = (
        User.objects.create_user(name, role=role)
        for name, role in (("anna", Role.OPERATOR), ("ben", Role.APPROVER))
    )
    job = services.enqueue("made_up", inputs={}, asked_by=anna)
    client.force_login(ben)
    assert client.post(f"/jobs/{job.pk}/cancel").status_code == 404
    client.force_login(anna)
    away = client.post(f"/jobs/{job.pk}/cancel", {"next": "//evil.example/x"})
    assert (away.status_code, away.url) == (302, "/")
    job.refresh_from_db()
    assert job.state == JobState.CANCELLED


def test_a_page_polls_until_the_job_is_over_and_is_then_loaded_anew(
    client: Any, kind: Callable[..., str], worker: Worker
) -> None:
    anna = User.objects.create_user("anna", role=Role.OPERATOR)
    client.force_login(anna)
    job = services.enqueue(kind(double), inputs={"number": 1}, asked_by=anna)
    first = client.get(f"/jobs/{job.pk}/live")
    [poll] = re.findall(r'hx-get="([^"]+)"', first.content.decode())
    assert client.get(poll).status_code == 204
    work.perform(job.pk, worker)
    last = client.get(poll)
    assert last["HX-Refresh"] == "true"
    assert "hx-get" not in last.content.decode()
