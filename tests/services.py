"""Finds what tests need on this machine, and starts PostgreSQL and Redis on spare ports.

``python -m tests.services COMMAND ...`` runs a command with DATABASE_URL and BROKER_URL pointing at
servers that live exactly as long as it does.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

UNPRIVILEGED = "nobody"
START_SECONDS = 60


@dataclass(frozen=True)
class Need:
    """Something that not every machine has: programs or modules, and how to get them."""

    programs: tuple[str, ...]
    remedy: str
    modules: tuple[str, ...] = ()
    optional: bool = False
    """Whether ``./csro test --all`` does without it too."""


NEEDS = {
    "postgresql": Need(("initdb", "postgres"), "apt install postgresql"),
    "redis": Need(("redis-server",), "apt install redis-server"),
    "chromium": Need(("chromium",), "apt install chromium"),
    "openssl": Need(("openssl",), "apt install openssl"),
    "bubblewrap": Need(("bwrap",), "apt install bubblewrap"),
    "torch": Need((), "pip install -r requirements-impala.txt", ("torch",), optional=True),
}


@cache
def find_program(name: str) -> str | None:
    """Where a program is; Debian keeps PostgreSQL's own outside the PATH."""
    found = shutil.which(name)
    if found is None:
        versions = Path("/usr/lib/postgresql").glob(f"*/bin/{name}")
        newest = sorted(versions, key=lambda path: float(path.parts[4]), reverse=True)
        found = str(newest[0]) if newest else None
    return found


def is_met(need: str) -> bool:
    programs = all(find_program(program) for program in NEEDS[need].programs)
    return programs and all(find_spec(module) for module in NEEDS[need].modules)


def spare_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def unprivileged() -> dict[str, int | str | list[int]]:
    """Arguments for Popen that drop root, which PostgreSQL refuses to run as."""
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam(UNPRIVILEGED)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


class Server(ABC):
    """A server process with a directory of its own, both gone at the end."""

    name = "server"

    def __enter__(self) -> Self:
        self.port = spare_port()
        self.directory = Path(tempfile.mkdtemp(prefix=f"csro-{self.name}-", dir="/tmp"))
        if os.geteuid() == 0:
            shutil.chown(self.directory, UNPRIVILEGED)
        self.log = (self.directory / "log").open("wb")
        try:
            self.process = self.start()
            self.wait_until_it_answers()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()

    @abstractmethod
    def start(self) -> subprocess.Popen[bytes]: ...

    @abstractmethod
    def answers(self) -> bool: ...

    def program(self, name: str) -> str:
        found = find_program(name)
        if found is None:
            raise FileNotFoundError(f"no {name} on this machine: {NEEDS[self.name].remedy}")
        return found

    def spawn(self, command: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            cwd=self.directory,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(self.directory)},
            **unprivileged(),  # type: ignore[call-overload]
        )

    def wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                text = (self.directory / "log").read_text(errors="replace")
                raise RuntimeError(f"{self.name} did not start:\n{text[-2000:]}")
            time.sleep(0.05)

    def remove(self) -> None:
        process = getattr(self, "process", None)
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.log.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class PostgreSQL(Server):
    name = "postgresql"

    @property
    def url(self) -> str:
        return f"postgresql://csro@127.0.0.1:{self.port}/postgres"

    def start(self) -> subprocess.Popen[bytes]:
        data = str(self.directory / "data")
        initdb = [
            self.program("initdb"),
            "-D",
            data,
            "-U",
            "csro",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "-N",
        ]
        if self.spawn(initdb).wait() != 0:
            raise RuntimeError(f"initdb failed:\n{(self.directory / 'log').read_text()[-2000:]}")
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": str(self.directory),
            "fsync": "off",
        }
        settings = [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
        return self.spawn([self.program("postgres"), "-D", data, *settings])

    def answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


class Redis(Server):
    name = "redis"

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> subprocess.Popen[bytes]:
        options = {"--port": str(self.port), "--bind": "127.0.0.1", "--save": "", "--dir": "."}
        return self.spawn(
            [self.program("redis-server"), *(part for pair in options.items() for part in pair)]
        )

    def answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=2) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def main(command: list[str]) -> int:
    with PostgreSQL() as database, Redis() as broker:
        environment = {**os.environ, "DATABASE_URL": database.url, "BROKER_URL": broker.url}
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
