"""Makes good what brokers and workers lose. Its own process, once a second, nothing else to do."""

from __future__ import annotations

import logging
import threading
import time

from django.db import DatabaseError, connection

from csro_web.audit import leaving
from csro_web.calls import resending
from csro_web.calls.ledger import abandon_dead
from csro_web.changes import pruning as imports
from csro_web.jobs import leases as job_leases
from csro_web.jobs import pruning as jobs
from csro_web.jobs import queue as job_queue
from csro_web.runs import leases, limits, queue

logger = logging.getLogger(__name__)

PERIOD_SECONDS = 1.0
TIDY_SECONDS = 3600.0


def reconcile() -> tuple[int, int]:
    """One round: how many steps were taken from lost workers, and how many messages were sent."""
    abandon_dead()
    resending.give_up_dead()
    resending.send_waiting()
    limits.ask_people_no_more()
    job_leases.release_lost()
    job_queue.send_ready()
    leaving.leave_if_due()
    return leases.release_lost(), queue.send_ready()


def tidy() -> None:
    """Remove what nobody will look at any more."""
    removed = {"job(s)": jobs.prune(), "import(s)": imports.prune()}
    if any(removed.values()):
        counted = " and ".join(f"{count} {what}" for what, count in removed.items())
        logger.info("%s that were kept long enough were removed", counted)


def run(over: threading.Event) -> None:
    """Rounds until ``over``; a database that does not answer is reported and tried again."""
    tidied = float("-inf")
    while not over.is_set():
        try:
            if time.monotonic() - tidied >= TIDY_SECONDS:
                tidied = time.monotonic()
                tidy()
            freed, _ = reconcile()
            if freed:
                logger.warning("%s step(s) were given back: their workers are gone", freed)
        except DatabaseError as error:
            logger.warning("the database does not answer (%s); trying again", error)
            connection.close()
        over.wait(PERIOD_SECONDS)
