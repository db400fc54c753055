"""What people sit and wait for goes before long work, and long work does not starve."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection
from django.utils import timezone

from csro_web.accounts.models import Role, User
from csro_web.jobs import kinds, leases, services, tasks, turns, waiting, work
from csro_web.jobs.kinds import Surroundings
from csro_web.jobs.models import Job, JobState
from csro_web.leases.outcome import Outcome
from csro_web.runs import leases as step_leases
from csro_web.runs import services as runs
from csro_web.runs import tasks as step_tasks
from csro_web.runs import worker as run_worker
from csro_web.runs.models import Run, Step, StepState
from csro_web.runs.worker import Worker
from oracles.config import RunConfig
from tests.work.place import TINY, Place, wait_for
from tests.work.test_exports import ASK, CONFIG

pytestmark = pytest.mark.django_db(transaction=True)
done: list[str] = []
TRY = """
import time
from csro_web.accounts.models import User
from csro_web.changes import trials
from csro_web.jobs.models import Job
from csro_web.policies.models import Policy

policy = Policy.objects.filter(run={run}, origin="generated").first()
person = User.objects.create_user("anna", role="operator")
{ask}
while not Job.objects.filter(kind="export", progress_done__gt=0).exists():
    time.sleep(0.01)
trials.ask(policy=policy, person=person, text=policy.source + "\\nTRIED = 1\\n", episodes=2)
"""
"""Asks for an export, and for a trial while it is in work."""


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    made = Worker(engine_workers=1, announce=False)
    monkeypatch.setattr(run_worker, "current", lambda: made)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def two_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    def long(job: Job, around: Surroundings) -> Mapping[str, Any]:
        for piece in "12":
            done.append(f"{job.inputs['name']} {piece}")
            around.give_way()
        return {}

    def short(job: Job, _: Surroundings) -> Mapping[str, Any]:
        done.append(job.inputs["name"])
        return {}

    done.clear()
    monkeypatch.setattr(kinds, "_kinds", {})
    kinds.handles("long", words="a re-evaluation", long=True)(long)
    kinds.handles("short", words="a trial")(short)


def asked(kind: str, name: str = "", *, minutes_ago: float = 0) -> Job:
    job = services.enqueue(kind, inputs={"name": name}, asked_by=None)
    job.created_at = timezone.now() - timedelta(minutes=minutes_ago)
    job.save(update_fields=["created_at"])
    return job


def test_short_work_goes_first_and_long_work_after_its_patience() -> None:
    patient, waited = asked("long", minutes_ago=1), asked("long", minutes_ago=9)
    first, second = asked("short", minutes_ago=5), asked("short")
    assert turns.in_order() == [job.pk for job in (first, second, patient, waited)]
    Job.objects.filter(pk=patient.pk).update(created_at=timezone.now() - timedelta(minutes=9))
    assert turns.in_order() == [job.pk for job in (patient, waited, first, second)]


def test_long_work_is_done_although_short_work_never_ends(worker: Worker) -> None:
    """Each short job is followed by the next one that somebody asks for."""
    old = asked("long", "long", minutes_ago=1.9)
    for number in range(30):
        Job.objects.update(created_at=timezone.now() - timedelta(minutes=1.9 + number))
        asked("short", f"short {number}")
        tasks.work_on_job(old.pk)
        old.refresh_from_db()
        if old.is_over:
            break
    assert (old.state, number) == (JobState.DONE, 1)


def test_a_message_of_a_long_job_does_the_short_one_that_was_asked_for_later(
    worker: Worker,
) -> None:
    long = asked("long", "long")
    asked("short", "short")
    assert [tasks.work_on_job(long.pk) for _ in range(3)] == ["SAVED", "SAVED", "NOT_TO_BE_HAD"]
    assert done == ["short", "long 1", "long 2"]


def test_a_job_that_another_worker_took_first_costs_the_next_one_no_time(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each job has one message, and this one would be used up."""
    first, second = asked("short", "first"), asked("short", "second")
    seen = turns.in_order()
    assert leases.claim(first.pk)
    monkeypatch.setattr(turns, "in_order", lambda **_: seen)
    assert tasks.work_on_job(second.pk) == "SAVED"
    assert done == ["second"]


def test_a_long_job_gives_way_between_its_pieces_and_keeps_its_lease(
    worker: Worker, settings: LazySettings
) -> None:
    def asks(job: Job, around: Surroundings) -> Mapping[str, Any]:
        for number in range(5):
            asked("short", f"short {number}")
        for piece in "12":
            done.append(f"long {piece}")
            around.give_way()
        return {"lease": Job.objects.get(pk=job.pk).owner == job.owner}

    kinds._kinds["long"] = kinds.Kind("long", asks, None, "a re-evaluation", long=True)
    job = asked("long")
    assert work.perform(job.pk, worker) is Outcome.SAVED
    job.refresh_from_db()
    assert (job.result, job.attempts) == ({"lease": True}, 1)
    between = [f"short {number}" for number in range(work.MOST_BETWEEN)]
    assert done == ["long 1", *between, "long 2", "short 3", "short 4"]


def test_what_fails_in_between_does_the_long_job_no_harm(worker: Worker) -> None:
    def broken(*_: Any) -> Mapping[str, Any]:
        raise RuntimeError("a cable is loose")

    kinds._kinds["short"] = kinds.Kind("short", broken, None)
    long = asked("long", "long", minutes_ago=9)
    short = asked("short")
    assert work.perform_next(worker) is Outcome.SAVED
    for job in (long, short):
        job.refresh_from_db()
    assert (long.state, short.state) == (JobState.DONE, JobState.READY)
    assert "a cable is loose" in short.failure


def revised_run() -> Run:
    """A run whose search is over; somebody changed it, so a step of it is ready."""
    run = runs.create_run(config=RunConfig.from_json(TINY), announce=False)
    Run.objects.filter(pk=run.pk).update(state="running", ended_at=timezone.now())
    return run


def test_what_follows_from_a_change_goes_before_long_work(worker: Worker) -> None:
    run = revised_run()
    step = Step.objects.filter(run=run).order_by("order").values_list("pk", flat=True)[0]
    asked("long", "long", minutes_ago=9)
    assert step_tasks.work_on_step(step) == "SAVED"
    assert done == []
    assert work.perform_next(worker) is Outcome.SAVED
    assert done == ["long 1", "long 2"]
    steps = 1 + 2 * work.MOST_BETWEEN
    finished = Step.objects.filter(run=run, state=StepState.DONE).count()
    assert finished == min(steps, Step.objects.filter(run=run).count())


def test_a_job_that_waits_says_for_what(worker: Worker) -> None:
    waits = asked("short", minutes_ago=0)
    assert waiting.words(waits) == "Next in line. No worker is busy."
    busy = asked("long", minutes_ago=4)
    assert leases.claim(busy.pk)
    Job.objects.filter(pk=busy.pk).update(started_at=timezone.now() - timedelta(minutes=3))
    asked("long", minutes_ago=9)
    asked("long", minutes_ago=9)
    assert waiting.words(waits) == (
        "Behind 2 other jobs. One worker is at work: on a re-evaluation, since 3 minutes."
    )
    Job.objects.filter(pk=busy.pk).update(owner="elsewhere/1:7:first")
    run = runs.create_run(config=RunConfig.from_json(TINY), announce=False)
    step = Step.objects.filter(run=run).order_by("order").first()
    assert step is not None
    assert step_leases.claim(step.pk)
    assert "2 workers are at work: on a re-evaluation, since 3 minutes; on a step of a run" in (
        waiting.words(waits)
    )


def test_a_job_that_no_worker_takes_up_says_so(settings: LazySettings) -> None:
    job = asked("long", minutes_ago=2)
    assert "No worker has taken it up for 2 min: is one running?" in waiting.words(job)
    assert "go first" in waiting.words(job)


def test_the_page_of_a_job_learns_how_the_queue_moves(client: Any) -> None:
    anna = User.objects.create_user("anna", role=Role.OPERATOR)
    client.force_login(anna)
    before = asked("short")
    job = services.enqueue("short", inputs={"name": ""}, asked_by=anna)
    page = client.get(f"/jobs/{job.pk}/live").content.decode()
    assert "Behind 1 other job." in page
    [poll] = re.findall(r'hx-get="([^"]+)"', page)
    assert client.get(poll).status_code == 204
    assert services.cancel(before)
    assert "Next in line." in client.get(poll).content.decode()


def test_the_heart_of_a_long_job_beats_while_others_go_first(
    worker: Worker, settings: LazySettings
) -> None:
    settings.LEASE_SECONDS = 0.5
    over = threading.Event()
    lost: list[int] = []

    def reconcile() -> None:
        try:
            while not over.wait(0.05):
                lost.append(leases.release_lost())
        finally:
            connection.close()

    def slow(*_: Any) -> Mapping[str, Any]:
        over.wait(1.5)
        return {}

    kinds._kinds["short"] = kinds.Kind("short", slow, None)
    long = asked("long", "long", minutes_ago=9)
    asked("short")
    thread = threading.Thread(target=reconcile)
    thread.start()
    try:
        assert work.perform_next(worker) is Outcome.SAVED
    finally:
        over.set()
        thread.join()
    long.refresh_from_db()
    assert (long.state, long.attempts, sum(lost)) == (JobState.DONE, 1, 0)


def test_one_worker_plays_a_trial_while_an_export_is_in_its_middle(place: Place) -> None:
    """Processes of their own; the export would go on for many matches."""
    run = place.launch_tiny_run({**CONFIG, "evaluation_episodes": 8})
    assert (solved := place.manage("help_solve", str(run))).returncode == 0, solved.stderr
    place.start("reconcile")
    place.start("worker")
    code = TRY.format(run=run, ask=ASK.format(run=run))
    assert (asked := place.manage("shell", "-v0", "-c", code)).returncode == 0, asked.stderr
    jobs = "SELECT kind, state, attempts, ended_at FROM jobs_job WHERE state = 'done' ORDER BY 4"
    ended = wait_for("both", lambda: rows if len(rows := place.rows(jobs)) == 2 else None)
    assert [row[:3] for row in ended] == [("trial", "done", 1), ("export", "done", 1)]
