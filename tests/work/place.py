"""A whole CSRO of a test's own: its database, broker and processes, on whichever pair is tested.

The pair is the one that DATABASE_URL and BROKER_URL name, else the embedded one.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[2]
TINY = {
    "game": "leduc",
    "iterations": 1,
    "refinements": 1,
    "episodes": 2,
    "evaluation_episodes": 2,
    "seed": 5,
}
"""A whole run in about ten steps of a fraction of a second each."""
PATIENCE_SECONDS = 120.0
Found = TypeVar("Found")


def wait_for(what: str, look: Callable[[], Found], seconds: float = PATIENCE_SECONDS) -> Found:
    """What ``look`` finds, as soon as it finds something."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline, f"waited {seconds:g} seconds in vain for: {what}"
        time.sleep(0.01)
    return found


def is_running(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


class Place:
    """Processes with one environment; ``close`` ends all that were started here."""

    def __init__(self, directory: Path, cache: Path) -> None:
        self.directory = directory
        directory.mkdir(exist_ok=True)
        (directory / "cache").symlink_to(cache)
        self.environment = {
            **os.environ,
            "CSRO_DATA_DIR": str(directory),
            "CSRO_LEASE_SECONDS": "2",
            "CSRO_REQUEUE_SECONDS": "2",
            "CSRO_ENGINE_WORKERS": "1",
            "DJANGO_SETTINGS_MODULE": "csro_web.settings",
            "PYTHONUNBUFFERED": "1",
        }
        self.processes: list[subprocess.Popen[str]] = []
        self._server = os.environ.get("DATABASE_URL", "")
        self._database = f"place_{uuid.uuid4().hex[:12]}"
        if self._server:
            self._on_server(f'CREATE DATABASE "{self._database}"')
            base = self._server.rpartition("/")[0]
            self.environment["DATABASE_URL"] = f"{base}/{self._database}"
        if broker := os.environ.get("BROKER_URL"):
            base, _, _ = broker.rpartition("/")
            self.environment["BROKER_URL"] = f"{base}/{_redis_number()}"
            self.empty_broker()

    def _on_server(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[arg-type]

    def manage(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """A management command, to its end."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            text=True,
            capture_output=True,
            timeout=PATIENCE_SECONDS,
            check=False,
            **options,
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """A management command in a session of its own; its output goes to ``log``."""
        with self.log.open("a") as log:
            process = subprocess.Popen(
                [sys.executable, "manage.py", *arguments],
                cwd=ROOT,
                env=self.environment,
                text=True,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)
        return process

    @property
    def log(self) -> Path:
        return self.directory / "log"

    def launch_tiny_run(self, config: Mapping[str, Any] = TINY) -> int:
        """Migrates, and makes a run as the web would; its number."""
        assert (done := self.manage("migrate", "-v0")).returncode == 0, done.stderr
        code = (
            "from csro_web.runs import services; from oracles.config import RunConfig;"
            f"print(services.create_run(config=RunConfig.from_json({dict(config)!r})).pk)"
        )
        done = self.manage("shell", "-v0", "-c", code)
        assert done.returncode == 0, done.stderr
        return int(done.stdout.split()[-1])

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What the database holds, read past the product."""
        if self._server:
            import psycopg

            with psycopg.connect(self.environment["DATABASE_URL"]) as connection:
                try:
                    return list(connection.execute(query))  # type: ignore[arg-type]
                except psycopg.errors.UndefinedTable:
                    return []
        if not (self.directory / "csro.sqlite3").exists():
            return []
        connection = sqlite3.connect(f"file:{self.directory / 'csro.sqlite3'}?mode=ro", uri=True)
        try:
            return connection.execute(query).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return []
            raise
        finally:
            connection.close()

    def step_in_work(self) -> tuple[str, int] | None:
        """Key and worker's process number of a step that is claimed right now."""
        claimed = self.rows("SELECT key, owner FROM runs_step WHERE state = 'claimed'")
        return (claimed[0][0], int(claimed[0][1].split(":")[1])) if claimed else None

    def done_steps(self) -> dict[str, tuple[Any, Any]]:
        """When and with what result each finished step ended."""
        query = "SELECT key, ended_at, result FROM runs_step WHERE state = 'done'"
        return {key: (ended, result) for key, ended, result in self.rows(query)}

    def run_state(self) -> str:
        return str(self.rows("SELECT state FROM runs_run")[0][0])

    def wait_until_finished(self) -> None:
        ends = ("finished", "failed", "cancelled")
        wait_for("the end of the run", lambda: self.run_state() in ends)
        assert self.run_state() == "finished", self.log.read_text()[-3000:]

    def numbers(self) -> dict[str, Any]:
        """Everything that a run found, apart from how long it took."""
        columns = "final_sigma, final_sigma_low, best_policy_index, held_out, steps_done"
        return {
            "run": [_plain(row) for row in self.rows(f"SELECT {columns} FROM runs_run")],
            "iterations": [
                _plain(row)
                for row in self.rows(
                    "SELECT sigma, gain_mean, gain_low, evolution FROM runs_iteration"
                )
            ],
            "cells": self.rows(
                'SELECT "row", "column", mean, low FROM runs_cell ORDER BY "row", "column"'
            ),
            "policies": self.rows('SELECT "index", sha256 FROM policies_policy ORDER BY "index"'),
            "candidates": [
                _plain(row)
                for row in self.rows(
                    "SELECT key, sha256, score_mean, feedback, evolved"
                    " FROM policies_candidate ORDER BY key"
                )
            ],
        }

    def empty_broker(self) -> None:
        """All messages are gone, as after the death of a broker that keeps nothing."""
        if "BROKER_URL" in self.environment:
            import redis

            redis.Redis.from_url(self.environment["BROKER_URL"]).flushdb()
            return
        for message in (self.directory / "broker").glob("messages/*"):
            message.unlink(missing_ok=True)

    def close(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGCONT)
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if self._server:
            self._on_server(f'DROP DATABASE "{self._database}" WITH (FORCE)')


def _plain(row: Sequence[Any]) -> list[Any]:
    """JSON columns as data: SQLite gives their text, PostgreSQL the data."""
    return [json.loads(v) if isinstance(v, str) and v[:1] in "[{" else v for v in row]


def _redis_number() -> int:
    """A Redis database for each pytest worker."""
    return 1 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 14
