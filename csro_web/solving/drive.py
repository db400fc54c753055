"""Does a run's steps in this process and in helpers, without broker or server."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings

from csro_web.calls.ledger import abandon_dead
from csro_web.runs import leases, limits
from csro_web.runs.models import Run, RunState, Step, StepState
from csro_web.runs.worker import Worker

IDLE_SECONDS = 0.1
GRACE_SECONDS = 10.0


def work_on(run_id: int, worker: Worker, tell: Callable[[Run, str], None]) -> Run:
    """Do steps until the run has ended, was paused, or ``worker`` was stopped.

    Other processes may work on the same run; the numbers do not depend on who does which step.
    """
    while True:
        run = Run.objects.get(pk=run_id)
        if run.has_ended or run.state == RunState.PAUSED or worker.stopping:
            return run
        step = run.steps.due().order_by("order").first()
        if step is None:
            abandon_dead()
            limits.ask_people_no_more()
            leases.release_lost(run_id)
            tell(run, _in_work(run))
            time.sleep(IDLE_SECONDS)
            continue
        tell(run, step.label)
        worker.perform(step.pk)


def _in_work(run: Run) -> str:
    step = Step.objects.filter(run=run, state=StepState.CLAIMED).order_by("order").first()
    if step is not None:
        return step.label
    if run.steps.filter(state=StepState.READY, not_before__isnull=False).exists():
        return "the model did not answer; it is asked again in a while"
    asked = Step.objects.filter(run=run, state=StepState.WAITING).count()
    if asked:
        return f"{asked} request(s) wait for a person: answer them at /requests (./csro run)"
    return "looking for work"


def only_warnings() -> None:
    """The progress says what is done; the log is for what goes wrong."""
    logging.getLogger("csro_web").setLevel(logging.WARNING)


@contextmanager
def stopped_by_signals(worker: Worker) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop the worker, which gives its step back, instead of breaking it off."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: worker.stop()) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@contextmanager
def helpers(run_id: int, count: int, engine_workers: int) -> Iterator[None]:
    """``count`` further processes on the same run; they end with the block and this process."""
    command = [
        *(sys.executable, "-m", "csro_web.launcher.child", str(os.getpid())),
        *(sys.executable, "-m", "django", "help_solve", str(run_id)),
    ]
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "csro_web.settings",
        "CSRO_DATA_DIR": str(settings.DATA_DIR),
        "CSRO_ENGINE_WORKERS": str(engine_workers),
    }
    processes = [
        subprocess.Popen(  # noqa: S603
            command,
            cwd=settings.BASE_DIR,
            env=environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        for _ in range(count)
    ]
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        for process in processes:
            try:
                process.wait(timeout=max(deadline - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
