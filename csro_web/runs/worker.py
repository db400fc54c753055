"""Does steps: claim, work outside any transaction, save. One engine for each process."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from django.conf import settings

from csro_web.leases.heartbeat import Heartbeat
from csro_web.leases.outcome import Outcome
from csro_web.logs import redact
from csro_web.runs import leases, results, services, steps, tools
from csro_web.runs.models import ENDED, Run, Step
from games.engine import MatchCancelled
from oracles import loop
from oracles.config import RunConfig
from oracles.models import AskLater, ModelRefused
from oracles.steps import StepKind, StepResult, StepSpec
from oracles.text import storable

if TYPE_CHECKING:
    from games.local_engine import LocalEngine

logger = logging.getLogger(__name__)


class _NotAskedFor(Exception):
    """A step is ready that its run, as it is known now, has no use for."""


class Worker:
    """Performs steps one after the other, in the main thread of its process.

    ``stop()`` may be called from a signal handler: the step in work is given back within moments.
    ``announce`` is whether messages are sent about the steps that follow from a result.
    """

    def __init__(self, *, engine_workers: int, announce: bool = True) -> None:
        self.engine_workers = engine_workers
        self.announce = announce
        self.stopping = False
        self._engine: LocalEngine | None = None

    def stop(self) -> None:
        self.stopping = True

    def close(self) -> None:
        """End the engine with its referees; the next step makes a new one."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def perform(self, step_id: int) -> Outcome:
        """Do one step, if it is to be had. What goes wrong in it is logged, counted and shown."""
        if self.stopping:
            return Outcome.NOT_TO_BE_HAD
        owner = leases.claim(step_id)
        if owner is None:
            return Outcome.NOT_TO_BE_HAD
        step = Step.objects.select_related("run").get(pk=step_id)
        mine = leases.held(step_id, owner)
        try:
            with Heartbeat(
                lambda: mine.renew() and not _has_ended(step.run_id),
                what=f"step {step_id}",
            ) as heartbeat:
                result = self._execute(step, lambda: self.stopping or heartbeat.in_vain)
            saved = results.record_result(
                step_id=step_id, owner=owner, result=result, announce=self.announce
            )
        except AskLater as error:
            leases.put_off(mine, _plain_words(error), seconds=error.seconds)
            logger.info("run %s: %s: %s", step.run_id, step.key, error)
            return Outcome.GIVEN_BACK
        except MatchCancelled:
            leases.give_back(step_id, owner)
            logger.info("run %s: gave up %s", step.run_id, step.key)
            return Outcome.GIVEN_BACK
        except ModelRefused as error:
            self._wait_for_people(step, owner, error)
            return Outcome.GIVEN_BACK
        except _NotAskedFor as error:
            if not leases.fail(mine, in_words(error)):
                # We slept after the claim; somebody else has done it.
                logger.info("run %s: gave up %s: its lease was lost", step.run_id, step.key)
                return Outcome.NOT_TO_BE_HAD
            logger.error("step %s of run %s failed: %s", step.key, step.run_id, error)
            return Outcome.FAILED
        except Exception as error:
            logger.exception("step %s of run %s failed", step.key, step.run_id)
            self.close()
            leases.fail(mine, in_words(error))
            return Outcome.FAILED
        except BaseException:  # Ctrl-C and exit: nobody else has to wait for the lease to end
            leases.give_back(step_id, owner)
            raise
        if saved is results.Saved.YES:
            logger.info("run %s: %s (%s)", step.run_id, step.label, step.key)
            return Outcome.SAVED
        if saved is results.Saved.RUN_ENDED:
            leases.give_back(step_id, owner)
        logger.warning("the result of step %s of run %s: %s", step.key, step.run_id, saved.name)
        return Outcome.DISCARDED

    def _wait_for_people(self, step: Step, owner: str, error: ModelRefused) -> None:
        """Nothing but a person helps: the run waits, and the step counts no attempt."""
        reason = _plain_words(error)
        try:
            services.pause_run(step.run, reason=reason)
        except services.RunStateError:
            logger.info("run %s: another step has paused it, or it has ended", step.run_id)
        leases.give_back(step.pk, owner)
        logger.warning("run %s is paused at %s: %s", step.run_id, step.key, reason)

    def _execute(self, step: Step, should_stop: Callable[[], bool]) -> StepResult:
        config = RunConfig.from_json(step.run.config)
        spec = StepSpec(
            key=step.key, kind=StepKind(step.kind), inputs=step.inputs, label=step.label
        )
        state = steps.known_state(step.run)
        if all(pending.key != step.key for pending in state.pending):
            raise _NotAskedFor(f"the run does not ask for {step.key} (any more)")
        return loop.execute(
            config, state, spec, tools.make(step.run_id, config, self.engine(), should_stop)
        )

    def engine(self) -> LocalEngine:
        """This process's engine, started when the first match asks for it."""
        from games.local_engine import LocalEngine
        from games.match import SandboxLevel

        if self._engine is None:
            level = SandboxLevel(settings.REQUIRED_LEVEL)
            self._engine = LocalEngine(level, workers=self.engine_workers)
        return self._engine


def _has_ended(run_id: int) -> bool:
    return Run.objects.filter(pk=run_id, state__in=ENDED).exists()


def in_words(error: Exception) -> str:
    """One line that says what kind of error it was, too."""
    return f"{type(error).__name__}: {_plain_words(error)}"[:2000]


def _plain_words(error: Exception) -> str:
    """One line that pages show and every database takes, without secrets."""
    text: str = storable(redact(" ".join(str(error).split())))
    return text[:2000]


@cache
def current() -> Worker:
    """The worker of this process; its engine is closed when the process ends."""
    worker = Worker(engine_workers=settings.ENGINE_WORKERS)
    atexit.register(worker.close)
    return worker
