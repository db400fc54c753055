"""``manage.py reconcile``: sends steps that no worker has taken, frees those of lost workers."""

from __future__ import annotations

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from csro_web.runs import reconciler


class Command(BaseCommand):
    help = "Sends ready steps to the workers and takes back those of lost workers. Run exactly one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="one round, then end")

    def handle(self, *args: Any, once: bool, **options: Any) -> None:
        if once:
            freed, sent = reconciler.reconcile()
            self.stdout.write(f"steps given back: {freed}; messages sent: {sent}")
            return
        over = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: over.set())
        reconciler.run(over)
