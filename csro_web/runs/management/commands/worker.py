"""``manage.py worker``: does the steps of runs, as Celery delivers them."""

from __future__ import annotations

import warnings
from typing import Any

from celery.platforms import SecurityWarning
from celery.signals import worker_shutting_down
from django.core.management.base import BaseCommand

from csro_web.celery import app
from csro_web.runs import worker


class Command(BaseCommand):
    help = "Does the steps of runs. Start as many as the machine has room for."

    def handle(self, *args: Any, **options: Any) -> None:
        # A signal's receiver is kept weakly: this name keeps it alive while the worker runs.
        def stop(**_kwargs: object) -> None:
            worker.current().stop()

        worker_shutting_down.connect(stop)
        warnings.simplefilter("ignore", SecurityWarning)  # messages are JSON, never pickles
        # One process, one step at a time: killed, it takes nothing else along and leaves nothing.
        app.worker_main(
            [
                "--quiet",
                "worker",
                "--pool=solo",
                "--without-gossip",
                "--without-mingle",
                "--without-heartbeat",
                "--loglevel=WARNING",
            ]
        )
