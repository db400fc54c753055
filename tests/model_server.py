"""An OpenAI-compatible server on loopback that does what a script says, well or badly.

>>> with ModelServer("rock") as server:
...     server.script(status(429, retry_after="1"), drips("paper"))
...     ...  # the first request is told to wait, the second is served a byte a second
...     server.requests[0].headers["authorization"]

What comes after the script's end gets the server's own answer: a text, the next of a list, or what
a function says about the request. Every request is recorded, refused ones too. Tests take the
fixture ``model_server``.
"""

from __future__ import annotations

import json
import select
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import pytest

MODEL = "local-model"
CHUNK = 1 << 16
COMPLETIONS = ("/chat/completions", "/api/chat", "/api/generate", "/messages", ":generateContent")
"""Where OpenAI, Ollama, Anthropic and Gemini are asked; the others by script alone."""


@dataclass
class Received:
    """One request as it came, and whether its sender went away before it was answered."""

    method: str
    path: str
    headers: Message
    body: Any
    raw: bytes
    at: float
    """Of ``time.monotonic``."""
    abandoned: threading.Event = field(default_factory=threading.Event)

    @property
    def messages(self) -> list[dict[str, str]]:
        found: list[dict[str, str]] = self.body["messages"]
        return found

    def holds(self, text: str) -> bool:
        """Whether ``text`` stands anywhere in it: line, headers or body."""
        everything = f"{self.path}\n{self.headers}\n{self.raw.decode(errors='replace')}"
        return text in everything


Answerer = str | Sequence[str] | Callable[[Received], str]
Behaviour = Callable[["Exchange"], None]


class Exchange:
    """One request and the means to answer it."""

    def __init__(self, server: ModelServer, handler: BaseHTTPRequestHandler, received: Received):
        self.server, self.handler, self.received = server, handler, received

    def head(self, code: int, headers: Mapping[str, str]) -> None:
        self.handler.send_response(code)
        for name, value in headers.items():
            self.handler.send_header(name, value)
        self.handler.send_header("Connection", "close")
        self.handler.end_headers()
        self.handler.close_connection = True

    def write(self, data: bytes) -> None:
        self.handler.wfile.write(data)
        self.handler.wfile.flush()

    def send(
        self, code: int, body: bytes, headers: Mapping[str, str] | None = None, /, **more: str
    ) -> None:
        length = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        self.head(code, {**length, **(headers or {}), **more})
        self.write(body)

    def wait(self, seconds: float) -> None:
        """Do nothing for a while; raises when the client goes away or the server ends."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self.server.closing.is_set():
                raise ConnectionAbortedError
            connection = self.handler.connection
            readable, _, _ = select.select([connection], [], [], min(left, 0.05))
            if readable and not connection.recv(1):
                raise ConnectionAbortedError


def completion(
    text: str | None,
    *,
    model: str = MODEL,
    finish_reason: str | None = "stop",
    usage: Any = None,
) -> dict[str, Any]:
    """The body of a chat completion; ``usage`` False leaves the count of tokens out."""
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": finish_reason,
            }
        ],
    }
    if usage is None:
        usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    if usage is not False:
        body["usage"] = usage
    return body


def answers(text: str | None, **how: Any) -> Behaviour:
    """A proper answer; arguments as of :func:`completion`."""
    return shape(completion(text, **how))


def shape(body: Any, code: int = 200) -> Behaviour:
    """Any JSON at all."""
    return sends(json.dumps(body).encode(), code)


def sends(body: bytes, code: int = 200, **headers: str) -> Behaviour:
    """Any bytes at all: empty, garbage, half an answer."""
    return lambda exchange: exchange.send(code, body, headers)


def truncated(text: str = "cut off") -> Behaviour:
    """Half of the JSON, as if it were all."""
    body = json.dumps(completion(text)).encode()
    return sends(body[: len(body) // 2])


def status(
    code: int, message: str = "no", *, retry_after: str | None = None, kind: str = "error"
) -> Behaviour:
    """An error as OpenAI words it."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    body = json.dumps({"error": {"message": message, "type": kind, "code": kind}}).encode()
    return lambda exchange: exchange.send(code, body, headers)


def redirects(to: str, code: int = 307) -> Behaviour:
    return lambda exchange: exchange.send(code, b"", Location=to)


def silent(seconds: float = 3600.0) -> Behaviour:
    """Not a byte for a long time."""

    def behave(exchange: Exchange) -> None:
        exchange.wait(seconds)
        answers("late")(exchange)

    return behave


def drips(text: str = "drip", seconds: float = 1.0, *, headers_too: bool = False) -> Behaviour:
    """A proper answer, one byte at a time, so that no single read takes long."""

    def behave(exchange: Exchange) -> None:
        body = json.dumps(completion(text)).encode()
        if headers_too:
            body = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            exchange.handler.close_connection = True
        else:
            exchange.head(
                200, {"Content-Type": "application/json", "Content-Length": f"{len(body)}"}
            )
        for byte in body:
            exchange.write(bytes([byte]))
            exchange.wait(seconds)

    return behave


def huge(size: int = 100_000_000, *, announced: bool = False) -> Behaviour:
    """A proper answer with ``size`` characters of text; its length may be kept back."""

    def behave(exchange: Exchange) -> None:
        start, end = json.dumps(completion("@")).encode().split(b"@")
        length = {"Content-Length": str(len(start) + size + len(end))} if announced else {}
        exchange.head(200, {"Content-Type": "application/json", **length})
        exchange.write(start)
        for sent in range(0, size, CHUNK):
            exchange.write(b"x" * min(CHUNK, size - sent))
        exchange.write(end)

    return behave


def closes(after: bytes = b"") -> Behaviour:
    """Ends the connection after these bytes: none, half a header, or half a body."""

    def behave(exchange: Exchange) -> None:
        exchange.handler.close_connection = True
        exchange.write(after)

    return behave


def echoes_headers(code: int = 401) -> Behaviour:
    """An error that repeats all that it was sent, keys included."""

    def behave(exchange: Exchange) -> None:
        status(code, f"bad request with {dict(exchange.received.headers)}")(exchange)

    return behave


class ModelServer:
    """The server, in threads of its own; a context manager."""

    def __init__(
        self,
        answer: Answerer = "hello",
        *,
        models: Sequence[str] | None = (MODEL,),
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.models = None if models is None else list(models)
        """What ``/models`` lists; other names get a 404. None serves every name."""
        self.closing = threading.Event()
        self.requests: list[Received] = []
        """Requests for completions, in the order in which they came."""
        self.others: list[Received] = []
        """All other requests."""
        self._answer = answer
        self._tls = tls
        self._given = 0
        self._script: deque[Behaviour] = deque()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        owner = self

        class Handler(_Handler):
            server_of_models = owner

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        if self._tls is not None:
            self._http.socket = self._tls.wrap_socket(self._http.socket, server_side=True)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, name="model-server"
        )
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """What goes into ``api_base``."""
        scheme = "http" if self._tls is None else "https"
        return f"{scheme}://127.0.0.1:{self._http.server_address[1]}/v1"

    def script(self, *behaviours: Behaviour) -> None:
        """What becomes of the next requests, one each; appended to what is left of before."""
        with self._lock:
            self._script.extend(behaviours)

    def next_behaviour(self, received: Received) -> Behaviour:
        with self._lock:
            self.requests.append(received)
            if self._script:
                return self._script.popleft()
            asked = received.body.get("model") if isinstance(received.body, dict) else None
            if self.models is not None and asked not in self.models:
                return status(404, f"The model {asked!r} does not exist", kind="model_not_found")
            given, self._given = self._given, self._given + 1
        if isinstance(self._answer, str):
            text = self._answer
        elif callable(self._answer):
            text = self._answer(received)
        else:
            text = self._answer[given]
        return answers(text, model=asked or MODEL)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server_of_models: ModelServer

    def log_message(self, format: str, *arguments: Any) -> None:
        """Tests look at ``requests``, not at a log."""

    def do_GET(self) -> None:
        received = self._receive()
        self.server_of_models.others.append(received)
        listed = [{"id": name, "object": "model"} for name in self.server_of_models.models or ()]
        found = received.path.split("?")[0].endswith("/models")
        self._answer(received, shape({"object": "list", "data": listed} if found else {}, 200))

    def do_POST(self) -> None:
        received = self._receive()
        if received.path.split("?")[0].endswith(COMPLETIONS):
            self._answer(received, self.server_of_models.next_behaviour(received))
        else:
            self.server_of_models.others.append(received)
            self._answer(received, status(404, "no such path"))

    def _receive(self) -> Received:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = None
        return Received(self.command, self.path, self.headers, body, raw, time.monotonic())

    def _answer(self, received: Received, behave: Behaviour) -> None:
        try:
            behave(Exchange(self.server_of_models, self, received))
        except OSError:  # the client went away, or the server is closing
            self.close_connection = True
            received.abandoned.set()


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A server that says hello until it is told otherwise."""
    with ModelServer() as server:
        yield server
