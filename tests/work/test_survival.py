"""Whatever is killed in the middle of a run, nothing saved is lost or done again.

Celery's documentation and issue 5935 of celery/celery tell how late Redis redelivers after a kill,
and issue 2599 how it delivers twice; here the database alone decides.
"""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from tests.services import Redis, spare_port
from tests.work.place import Place, is_running, wait_for


def some_done_and_one_in_work(place: Place) -> tuple[str, int] | None:
    step = place.step_in_work()
    return step if step and len(place.done_steps()) >= 2 else None


def check(place: Place, saved: dict[str, Any], undisturbed: dict[str, Any]) -> None:
    place.wait_until_finished()
    assert place.numbers() == undisturbed
    done = place.done_steps()
    assert {key: done[key] for key in saved} == saved, "a saved step was done again"


def test_a_run_survives_kill_9_of_its_worker_in_the_middle_of_a_step(
    place: Place, undisturbed: dict[str, Any]
) -> None:
    place.launch_tiny_run()
    place.start("reconcile")
    place.start("worker")
    _, pid = wait_for("a step in work", lambda: some_done_and_one_in_work(place))
    saved = place.done_steps()
    os.kill(pid, signal.SIGKILL)
    wait_for("the worker's death", lambda: not is_running(pid))
    place.start("worker")
    check(place, saved, undisturbed)


def test_a_run_survives_the_loss_of_every_message_and_double_delivery(
    place: Place, undisturbed: dict[str, Any]
) -> None:
    place.environment["CSRO_LEASE_SECONDS"] = "60"  # nothing dies here, however slow the machine
    run = place.launch_tiny_run()
    place.empty_broker()
    code = (
        "from csro_web.runs.tasks import work_on_step; from csro_web.runs.models import Step;"
        f"[work_on_step.delay(s.pk) for s in Step.objects.filter(run={run}) for _ in range(3)]"
    )
    place.start("worker")
    place.start("worker")
    place.start("reconcile")
    wait_for("a step in work", lambda: some_done_and_one_in_work(place))
    assert place.manage("shell", "-v0", "-c", code).returncode == 0  # done and claimed ones too
    saved = place.done_steps()
    place.empty_broker()
    check(place, saved, undisturbed)
    attempts = dict(place.rows("SELECT key, attempts FROM runs_step"))
    assert set(attempts.values()) == {1}


def test_a_run_survives_kill_9_of_its_launcher_which_leaves_no_orphan(
    place: Place, undisturbed: dict[str, Any]
) -> None:
    place.launch_tiny_run()
    launcher = place.start("up", "--no-demo", "--port", str(spare_port()))
    wait_for("a step in work", lambda: some_done_and_one_in_work(place))
    family = descendants(launcher.pid)
    assert len(family) >= 4  # web and its worker process, worker, reconciler, referee
    saved = place.done_steps()
    os.kill(launcher.pid, signal.SIGKILL)
    launcher.wait()
    wait_for("the end of all", lambda: not any(is_running(pid) for pid in family), seconds=20)
    place.start("up", "--no-demo", "--port", str(spare_port()))
    check(place, saved, undisturbed)


def test_what_a_frozen_worker_finds_after_its_lease_is_discarded(
    place: Place, undisturbed: dict[str, Any]
) -> None:
    place.launch_tiny_run()
    frozen = place.start("worker")
    place.start("reconcile")
    wait_for("a worker frozen in a step", lambda: freeze_in_a_step(place, frozen.pid))
    saved = place.done_steps()
    place.start("worker")
    check(place, saved, undisturbed)
    done = place.done_steps()
    os.kill(frozen.pid, signal.SIGCONT)
    wait_for("the worker's word", lambda: noticed_that_it_was_late(place), seconds=60)
    assert place.done_steps() == done
    assert place.numbers() == undisturbed


def freeze_in_a_step(place: Place, pid: int) -> bool:
    """Stops the worker; lets it go again when it had no unsaved step in hand at that moment."""
    if some_done_and_one_in_work(place) is None:
        return False
    os.kill(pid, signal.SIGSTOP)
    step = place.step_in_work()
    if step is not None and step[1] == pid:
        return True
    os.kill(pid, signal.SIGCONT)
    return False


def noticed_that_it_was_late(place: Place) -> bool:
    """Before, in or after the work of the step, wherever it was frozen."""
    words = place.log.read_text()
    return "gave up" in words or "LEASE_LOST" in words


def descendants(pid: int) -> set[int]:
    """Process numbers of all children and their children."""
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        for task in os.listdir(f"/proc/{parent}/task") if is_running(parent) else []:
            with open(f"/proc/{parent}/task/{task}/children") as file:
                children = [int(word) for word in file.read().split()]
            waiting += children
            found |= set(children)
    return found


@pytest.mark.needs("redis")
def test_a_run_survives_the_death_of_its_broker(
    place: Place, undisturbed: dict[str, Any], own_redis: Redis
) -> None:
    """Steps wait in the database while the broker is away; the reconciler does not die of it."""
    broker = own_redis
    place.environment["BROKER_URL"] = broker.url
    place.launch_tiny_run()
    place.start("reconcile")
    place.start("worker")
    wait_for("a step in work", lambda: some_done_and_one_in_work(place))
    saved = place.done_steps()
    broker.process.kill()
    broker.process.wait()
    wait_for("the complaint", lambda: "the broker takes no messages" in place.log.read_text())
    broker.process = broker.start()
    broker.wait_until_it_answers()
    check(place, saved, undisturbed)
