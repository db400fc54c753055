"""A package index on this machine's loopback: a real installer meets it as it would any other."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

PACKAGE = "csro_probe"


def wheel(version: str) -> bytes:
    """A wheel whose only module says its version."""
    info = f"{PACKAGE}-{version}.dist-info"
    files = {
        f"{PACKAGE}.py": f"VERSION = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), text)
    return buffer.getvalue()


def lock_line(version: str) -> str:
    """What a lock file holds for this package: the version and the hash of its wheel."""
    return f"{PACKAGE}=={version} --hash=sha256:{hashlib.sha256(wheel(version)).hexdigest()}\n"


class LocalIndex:
    """Serves versions 1.0 and 2.0. While ``gate`` is closed, downloads hang half-way.

    ``asked`` is set when a download has begun.
    """

    versions = ("1.0", "2.0")

    def __enter__(self) -> Self:
        self.gate, self.asked = threading.Event(), threading.Event()
        self.gate.set()
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer(*index.page(self.path))

            def do_HEAD(self) -> None:
                self.answer(*index.page(self.path))

            def answer(self, status: int, kind: str, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command == "GET":
                    half = len(body) // 2
                    self.wfile.write(body[:half])
                    if self.path.endswith(".whl"):
                        self.wfile.flush()
                        index.asked.set()
                        index.gate.wait(60)
                    self.wfile.write(body[half:])

            def handle(self) -> None:
                try:
                    super().handle()
                except ConnectionError:
                    self.close_connection = True

            def log_message(self, *_arguments: object) -> None:
                """Tests read the commands' own output."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.gate.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/simple/"

    def page(self, path: str) -> tuple[int, str, bytes]:
        names = {f"{PACKAGE}-{version}-py3-none-any.whl": version for version in self.versions}
        last = path.rstrip("/").rpartition("/")[2]
        if last in names:
            return 200, "application/octet-stream", wheel(names[last])
        if last.replace("-", "_") == PACKAGE:
            links = "".join(f'<a href="/files/{name}">{name}</a>' for name in names)
            return 200, "text/html", f"<!doctype html>{links}".encode()
        return 404, "text/plain", b"no such page"
