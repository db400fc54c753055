"""Real targets for hostile policies, and whether anything reached them."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path
from types import TracebackType

_SECRET = "canary-secret"


class Canaries:
    """A file, six sockets and a secret in the environment; ``harmed`` lists what was touched."""

    def __enter__(self) -> Canaries:
        self._directory = tempfile.TemporaryDirectory(prefix="csro-canaries-")
        self.path = Path(self._directory.name)
        self.path.chmod(0o777)
        self._file = self.path / "canary"
        self._file.write_text(_SECRET)
        self._file.chmod(0o666)
        os.environ["SECRET_KEY"] = os.environ["DATABASE_URL"] = _SECRET
        self._abstract = f"csro-canary-{os.getpid()}"
        self._sockets = {
            "tcp": _listen(socket.AF_INET, ("127.0.0.1", 0)),
            "unix": _listen(socket.AF_UNIX, str(self.path / "stream")),
            "abstract": _listen(socket.AF_UNIX, "\0" + self._abstract),
            "udp": _receive(socket.AF_INET, ("127.0.0.1", 0)),
            "udp6": _receive(socket.AF_INET6, ("::1", 0)),
            "datagram": _receive(socket.AF_UNIX, str(self.path / "canary.datagram")),
        }
        for name in ("stream", "canary.datagram"):
            (self.path / name).chmod(0o777)
        return self

    def aim(self, source: str) -> str:
        """The policy's source with its well-known targets replaced by these."""
        ports = {name: self._sockets[name].getsockname()[1] for name in ("tcp", "udp", "udp6")}
        for old, new in (
            ("/var/run/postgresql/.s.PGSQL.5432", str(self.path / "stream")),
            ("5432", str(ports["tcp"])),
            ('"127.0.0.1", 53)', f'"127.0.0.1", {ports["udp"]})'),
            ('"::1", 53)', f'"::1", {ports["udp6"]})'),
            ("\\0canary", "\\0" + self._abstract),
            ("/tmp/", f"{self.path}/"),
        ):
            source = source.replace(old, new)
        return source

    def harmed(self) -> list[str]:
        """What was written, removed, created or received."""
        expected = {"canary", "stream", "canary.datagram"}
        harm = [f"created {p.name}" for p in self.path.iterdir() if p.name not in expected]
        if not self._file.exists() or self._file.read_text() != _SECRET:
            harm.append("changed the file")
        return harm + [f"reached {name}" for name, one in self._sockets.items() if _heard(one)]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for one in self._sockets.values():
            one.close()
        del os.environ["SECRET_KEY"], os.environ["DATABASE_URL"]
        self._directory.cleanup()


def _listen(family: int, address: object) -> socket.socket:
    one = socket.socket(family, socket.SOCK_STREAM)
    one.bind(address)
    one.listen()
    one.setblocking(False)
    return one


def _receive(family: int, address: object) -> socket.socket:
    one = socket.socket(family, socket.SOCK_DGRAM)
    one.bind(address)
    one.setblocking(False)
    return one


def _heard(one: socket.socket) -> bool:
    try:
        if one.type == socket.SOCK_STREAM:
            one.accept()
        else:
            one.recv(1)
    except BlockingIOError:
        return False
    return True
