"""``./csro run``: everything in one terminal."""

from __future__ import annotations

import signal
import sys
import time
import urllib.error
import urllib.request
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import connections

from csro_web.calls.endpoints import keys_of_models
from csro_web.cli.arguments import whole_number
from csro_web.launcher import preparation
from csro_web.launcher.supervisor import Job, Supervisor
from csro_web.logs import redact
from csro_web.runs.models import ENDED, Run, RunState

THREADS = 8


class Command(BaseCommand):
    help = "Starts web, worker and reconciler here; stopping and starting again continues runs."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--port", type=whole_number(1, 65535), default=8000, help="on 127.0.0.1 (default 8000)"
        )
        parser.add_argument("--no-demo", action="store_true", help="start no demo run")
        parser.add_argument(
            "--workers",
            type=whole_number(1, 64),
            default=1,
            help="worker processes, 1 to 64 (default 1)",
        )

    def handle(self, *args: Any, port: int, no_demo: bool, workers: int, **options: Any) -> None:
        lock = preparation.take_lock(preparation.data_dir())
        preparation.check_port(port)
        preparation.prepare_database()
        preparation.check_broker()
        preparation.check_endpoints()
        password = preparation.first_administrator()
        if password is not None:
            self._show_password(password)
        demo = None if no_demo else preparation.demo_run()
        going_on = Run.objects.exclude(state__in=[*ENDED, RunState.PAUSED]).exclude(
            pk=demo.pk if demo else None
        )
        continued = going_on.count()
        connections.close_all()
        supervisor = Supervisor(_jobs(port, workers), self._say)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: supervisor.stop())
        try:
            supervisor.start()
            if _wait_for_web(port, supervisor):
                self._welcome(port, demo, continued)
            supervisor.watch()
        finally:
            supervisor.end()
            lock.close()
        self._say("stopped; ./csro run goes on where it was")

    def _show_password(self, password: str) -> None:
        """To the terminal alone, once; it is stored as a hash."""
        self.stdout.write(
            f"csro: administrator: {preparation.ADMIN}   password: {password}   "
            "(shown this once; ./csro manage changepassword admin sets another)"
        )
        self.stdout.flush()

    def _welcome(self, port: int, demo: Run | None, continued: int) -> None:
        address = f"http://127.0.0.1:{port}/"
        self._say(f"open {address}   (Ctrl-C stops)")
        if demo is not None:
            self._say(f"a demo run is moving: {address}runs/{demo.pk}")
        if continued:
            self._say(f"runs that go on where they were: {continued}")

    def _say(self, line: str) -> None:
        print(redact(f"csro: {line}" if " | " not in line else line), file=sys.stderr, flush=True)


def _jobs(port: int, workers: int) -> list[Job]:
    manage = [sys.executable, "-m", "django"]
    environment = {
        "DJANGO_SETTINGS_MODULE": "csro_web.settings",
        "CSRO_DATA_DIR": str(settings.DATA_DIR),
        "PYTHONUNBUFFERED": "1",
    }
    web = [
        *(sys.executable, "-m", "gunicorn", "csro_web.wsgi:application"),
        *("--bind", f"127.0.0.1:{port}", "--workers", "1", "--worker-class", "gthread"),
        *("--threads", str(THREADS), "--log-level", "warning", "--no-control-socket"),
    ]
    names = ["worker"] if workers == 1 else [f"worker {n + 1}" for n in range(workers)]
    keys = keys_of_models()
    return [
        Job("web", web, settings.BASE_DIR, environment, hidden=keys),
        *(Job(name, [*manage, "worker"], settings.BASE_DIR, environment) for name in names),
        Job("reconciler", [*manage, "reconcile"], settings.BASE_DIR, environment, hidden=keys),
    ]


def _wait_for_web(port: int, supervisor: Supervisor) -> bool:
    """Until the pages answer; False when stopped before."""
    while not supervisor.over:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5):
                return True
        except urllib.error.HTTPError:
            return True  # it answers; what is wrong, its log says
        except OSError:
            supervisor.check()
            time.sleep(0.1)
    return False
