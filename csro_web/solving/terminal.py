"""Works on one stored run in this terminal until it ends, is interrupted, or fails."""

from __future__ import annotations

import sys
import time
from typing import Any

from django.conf import settings

from csro_web.cli.errors import CommandFailure, WrongUsage
from csro_web.environment import cores
from csro_web.runs import services
from csro_web.runs.models import Run, RunState
from csro_web.runs.worker import Worker
from csro_web.solving import drive, report
from csro_web.solving.progress import RunProgress


def solve(run: Run, workers: int) -> dict[str, Any]:
    """The answer of the run, made by ``workers`` processes.

    Raises:
        CommandFailure: when it ends otherwise than by its own rules.
        KeyboardInterrupt: when it was interrupted; it is paused then, and can go on.
    """
    started = time.monotonic()
    share = max(settings.ENGINE_WORKERS // workers, 1)
    worker = Worker(engine_workers=share if workers > 1 else cores(), announce=False)
    try:
        with (
            drive.stopped_by_signals(worker),
            drive.helpers(run.pk, workers - 1, share),
            RunProgress(f"run {run.pk}") as progress,
        ):
            run = drive.work_on(run.pk, worker, progress.show)
    finally:
        worker.close()
    run.refresh_from_db()  # a helper may have saved the last step meanwhile
    if worker.stopping and not run.has_ended:
        raise _interrupted(run)
    _check(run)
    return report.summary(run, time.monotonic() - started)


def unfinished_run(number: int) -> Run:
    """The run of that number, ready to be worked on.

    Raises:
        CommandFailure: when there is none.
        WrongUsage: when it has ended.
    """
    run = Run.objects.filter(pk=number).first()
    if run is None:
        raise CommandFailure(
            f"there is no run {number} in this database; see the list of runs (./csro run)"
        )
    if run.has_ended:
        state = run.get_state_display().lower()
        raise WrongUsage(f"run {number} is {state}; only an unfinished run can go on")
    if run.state != RunState.PAUSED:
        return run
    return services.resume_run(run, announce=False, from_terminal=True)


def _interrupted(run: Run) -> KeyboardInterrupt:
    """Nothing is in work; what was saved stays, and the run can go on."""
    if run.state in services.ACTIVE:
        run = services.pause_run(run, from_terminal=True)
    print(
        f"run {run.pk} is paused; its {run.steps_done} steps are kept: go on with"
        f" ./csro solve --resume {run.pk}, or on its page (./csro run)",
        file=sys.stderr,
    )
    return KeyboardInterrupt()


def _check(run: Run) -> None:
    if run.state == RunState.FAILED:
        raise CommandFailure(f"run {run.pk} failed: {run.failure}")
    if run.state == RunState.PAUSED and run.pause_reason:
        raise CommandFailure(
            f"run {run.pk} is paused: {run.pause_reason}; correct that, then go on with"
            f" ./csro solve --resume {run.pk}"
        )
    if run.state != RunState.FINISHED:
        raise CommandFailure(
            f"run {run.pk} is {run.get_state_display().lower()}: somebody decided so on its page"
        )
