"""What must hold before the processes start: place, port, database, first people, demo run."""

from __future__ import annotations

import fcntl
import os
import secrets
import socket
import tempfile
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from kombu.exceptions import OperationalError

from csro_web.accounts.models import Role, User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.calls import endpoints
from csro_web.celery import app
from csro_web.cli.django_commands import database_name
from csro_web.cli.errors import CommandFailure, explain_os_error
from csro_web.environment import make_directory
from csro_web.runs import services
from csro_web.runs.models import Run
from oracles.config import RunConfig

ADMIN = "admin"
DEMO = {
    "game": "rrps",
    "oracle": "linear_refinement",
    "writer": "grammar",
    "iterations": 3,
    "refinements": 6,
    "episodes": 10,
    "evaluation_episodes": 10,
}


def take_lock(data_dir: Path) -> IO[str]:
    """One launcher for each data directory; the lock goes with the process, however it ends.

    Raises:
        CommandFailure: when another launcher has it, or the directory cannot be written.
    """
    make_directory(data_dir)
    path = data_dir / "launcher.lock"
    try:
        lock = path.open("a+", encoding="utf-8")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = path.read_text(encoding="utf-8").strip() or "another process"
        raise CommandFailure(
            f"already running with {data_dir} ({holder}): use it, stop it, or name another place "
            "in CSRO_DATA_DIR"
        ) from None
    except OSError as error:
        raise explain_os_error(error, f"write in {data_dir}") from error
    try:
        lock.truncate(0)
        lock.write(f"process {os.getpid()}")
        lock.flush()
        with tempfile.TemporaryFile(dir=data_dir) as probe:  # room for more than a few bytes
            probe.write(b"\0" * 1_048_576)
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        raise explain_os_error(error, f"write in {data_dir}") from error
    return lock


def check_port(port: int) -> None:
    """Raises:
    CommandFailure: when the port cannot be had.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CommandFailure(
                f"port {port} cannot be used ({error.strerror}): stop what uses it, or choose "
                f"another one with --port {port + 1}"
            ) from error


def prepare_database() -> None:
    """Reach the database and bring its tables up to date.

    Raises:
        CommandFailure: when it does not answer or cannot be written.
    """
    try:
        connection.ensure_connection()
        call_command("migrate", verbosity=0, interactive=False)
    except DatabaseError as error:
        raise CommandFailure(
            f"the database {database_name()} cannot be used ({error}): start it, make room or "
            "permission for it, or correct DATABASE_URL (unset: a file in CSRO_DATA_DIR)"
        ) from error


def check_broker() -> None:
    """Reach the broker once: a wrong address is told at the start, not in a worker's log for ever.

    Raises:
        CommandFailure: when it does not answer.
    """
    with app.connection_for_write() as broker:
        try:
            broker.ensure_connection(max_retries=1, timeout=5)
        except (OperationalError, OSError) as error:
            raise CommandFailure(
                f"the broker {broker.as_uri()} does not answer ({error}): start it, or correct "
                "BROKER_URL (unset: files in CSRO_DATA_DIR)"
            ) from error


def check_endpoints() -> None:
    """Raises:
    CommandFailure: when the file of model endpoints cannot be used.
    """
    try:
        endpoints.load()
    except endpoints.EndpointsError as error:
        raise CommandFailure(f"{error}; correct the file, or unset {endpoints.VARIABLE}") from error


def first_administrator() -> str | None:
    """The new administrator's password, or None when there are people already."""
    if User.objects.exists():
        return None
    password = secrets.token_urlsafe(12)
    with transaction.atomic():
        first = User.objects.create_superuser(ADMIN, password=password, role=Role.ADMINISTRATOR)
        detail = {"role": first.role, "from": "first start"}
        record(Action.PERSON_ADDED, actor=None, subject=first, detail=detail)
    return password


def demo_run() -> Run | None:
    """A first run of a few minutes, or None when there are runs already."""
    if Run.objects.exists():
        return None
    administrator = User.objects.filter(is_superuser=True).order_by("pk").first()
    return services.create_run(
        config=RunConfig.from_json(DEMO), launched_by=administrator, name="Demo"
    )


def data_dir() -> Path:
    return Path(settings.DATA_DIR)
