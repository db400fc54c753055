"""Does jobs: claim, work outside any transaction, save once."""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction

from csro_web.jobs import kinds, leases, turns
from csro_web.jobs.models import Job
from csro_web.leases.heartbeat import Heartbeat
from csro_web.leases.outcome import Outcome
from csro_web.leases.rows import LeasedRows
from csro_web.runs.worker import Worker, in_words
from games.engine import MatchCancelled

logger = logging.getLogger(__name__)

MOST_BETWEEN = 3
"""Pieces of other work between two pieces of a long job."""


def perform(job_id: int, worker: Worker) -> Outcome:
    """Do one job, if it is to be had. What goes wrong in it is logged, counted and shown."""
    if worker.stopping:
        return Outcome.NOT_TO_BE_HAD
    owner = leases.claim(job_id)
    if owner is None:
        return Outcome.NOT_TO_BE_HAD
    job = Job.objects.select_related("run", "asked_by").get(pk=job_id)
    mine = leases.held(job_id, owner)
    try:
        kind = kinds.kind_of(job.kind)
        with Heartbeat(mine.renew, what=str(job)) as heartbeat:
            surroundings = kinds.Surroundings(
                engine=worker.engine,
                should_stop=lambda: worker.stopping or heartbeat.in_vain,
                give_way=lambda: give_way(worker),
                report=lambda **news: _report(mine, **news),
            )
            result = kind.work(job, surroundings)
        return _save(job, mine, kind, result)
    except MatchCancelled:
        mine.give_back()
        return Outcome.GIVEN_BACK
    except kinds.JobLater as error:
        mine.put_off(str(error), seconds=error.seconds)
        return Outcome.GIVEN_BACK
    except kinds.JobRefused as error:
        mine.give_up(str(error))
        return Outcome.FAILED
    except Exception as error:
        logger.exception("%s failed", job)
        worker.close()
        leases.fail(mine, in_words(error))
        return Outcome.FAILED
    except BaseException:  # Ctrl-C and exit: nobody else has to wait for the lease to end
        mine.give_back()
        raise


def perform_next(worker: Worker) -> Outcome:
    """Do the job whose turn it is, if there is one that no other worker takes first."""
    for job_id in turns.in_order():
        outcome = perform(job_id, worker)
        if outcome is not Outcome.NOT_TO_BE_HAD:
            return outcome
    return Outcome.NOT_TO_BE_HAD


def perform_waiting(worker: Worker, *, long_too: bool = True) -> int:
    """Do the jobs that are ready, each in its turn; how many were begun.

    People wait for them, and their messages stand behind those of the steps of busy runs.
    """
    begun = 0
    while not worker.stopping:
        order = turns.in_order(long_too=long_too)
        if not order or perform(order[0], worker) is Outcome.FAILED:
            break  # what failed is not tried again at once: a step comes in between
        begun += 1
    return begun


def give_way(worker: Worker) -> None:
    """Between two pieces of a long job, do what people wait for: short jobs, and what follows from
    a change of theirs. So few at a time that the long one goes on too; it keeps its lease."""
    for _ in range(MOST_BETWEEN):
        if order := turns.in_order(long_too=False):
            outcome = perform(order[0], worker)
        elif step := turns.step_of_a_change():
            outcome = worker.perform(step)
        else:
            return
        if outcome is Outcome.FAILED:
            return


def _save(job: Job, mine: LeasedRows, kind: kinds.Kind, result: kinds.Result) -> Outcome:
    with transaction.atomic():
        if not mine.finish(result, partial=None):
            logger.warning("the result of %s is discarded: it was called off or lost", job)
            return Outcome.DISCARDED
        if kind.save is not None:
            kind.save(job, result)
    logger.info("%s is done", job)
    return Outcome.SAVED


def _report(
    mine: LeasedRows, *, done: int, total: int | None, words: str = "", partial: Any = None
) -> None:
    mine.update(
        progress_done=done,
        progress_total=total,
        progress_words=words[:200],
        partial=partial,
        **mine.news,
    )
