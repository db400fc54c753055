"""``manage.py help_solve RUN``: a further process of ``solve --workers N``; ends with the run."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from csro_web.runs.worker import Worker
from csro_web.solving import drive


class Command(BaseCommand):
    help = "Does steps of one run until it has ended, without a broker."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)

    def handle(self, *args: Any, run: int, **options: Any) -> None:
        drive.only_warnings()
        worker = Worker(engine_workers=settings.ENGINE_WORKERS, announce=False)
        try:
            with drive.stopped_by_signals(worker):
                drive.work_on(run, worker, lambda *_: None)
        finally:
            worker.close()
