"""Makes good what brokers and workers lose. Its own process, once a second, nothing else to do."""

from __future__ import annotations

import logging
import threading

from django.db import DatabaseError, connection

from csro_web.audit import leaving
from csro_web.calls import resending
from csro_web.calls.ledger import abandon_dead
from csro_web.jobs import leases as job_leases
from csro_web.jobs import queue as job_queue
from csro_web.runs import leases, limits, queue

logger = logging.getLogger(__name__)

PERIOD_SECONDS = 1.0


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


def run(over: threading.Event) -> None:
    """Rounds until ``over``; a database that does not answer is reported and tried again."""
    while not over.is_set():
        try:
            freed, _ = reconcile()
            if freed:
                logger.warning("%s step(s) were given back: their workers are gone", freed)
        except DatabaseError as error:
            logger.warning("the database does not answer (%s); trying again", error)
            connection.close()
        over.wait(PERIOD_SECONDS)
