"""One HTTP request within bounds: its time, its size, its address and the keys it may carry.

litellm and the libraries beneath it measure a timeout per read, follow redirects, retry and read
whole answers of any size. Whatever they do, it goes through :class:`GuardedTransport`, which lets
exactly one request of an :class:`Exchange` through and keeps what came of it.
"""

from __future__ import annotations

import json
import ssl
import threading
import time
from contextvars import ContextVar
from functools import cache
from typing import Any

import httpcore
import httpx

from oracles.models.access import OutcomeKind
from oracles.models.endpoints import Endpoint
from oracles.models.redaction import secrets_in_environment

MOST_BYTES = 16 * 1024 * 1024
"""Of one answer, headers included; a million tokens take about a third of it."""
NO_KEY = "no-key"
"""Stands where libraries insist on a key; no header that holds it is sent."""
_HEADERS = frozenset(
    {
        "accept",
        "accept-encoding",
        "anthropic-beta",
        "anthropic-version",
        "api-key",
        "authorization",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "user-agent",
        "x-api-key",
        "x-goog-api-key",
    }
)
"""What a server at an address of somebody's choice is sent; the rest is not its business."""

current: ContextVar[Exchange | None] = ContextVar("exchange", default=None)
"""The exchange that the running thread may send the request of."""


class _Stopped(Exception):
    """The exchange is over before its end; ``problem`` says why."""


class Exchange:
    """One request and what came of it. Used once; ``abort`` may be called from any thread."""

    def __init__(self, endpoint: Endpoint, *, seconds: float, most_bytes: int = MOST_BYTES) -> None:
        self.endpoint = endpoint
        self.problem: tuple[OutcomeKind, str] | None = None
        """Why it went wrong on the way, if it did."""
        self.sent = False
        """Whether a request has left: it may have been billed, whatever came back."""
        self.status: int | None = None
        self.headers: httpx.Headers = httpx.Headers()
        self.body = b""
        self._until = time.monotonic() + seconds
        self._seconds = seconds
        self._most_bytes = most_bytes
        self._read = 0
        self._admitted = False
        self._stream: httpcore.NetworkStream | None = None
        self._lock = threading.Lock()

    def left(self) -> float:
        """Seconds until the deadline."""
        return self._until - time.monotonic()

    def json(self) -> dict[str, Any]:
        """The body as an object; empty when it is none."""
        try:
            body = json.loads(self.body)
        except (ValueError, RecursionError):
            return {}
        return body if isinstance(body, dict) else {}

    def fail(self, kind: OutcomeKind, words: str) -> None:
        """Keep the first thing that went wrong."""
        with self._lock:
            if self.problem is None:
                self.problem = kind, words

    def abort(self, kind: OutcomeKind, words: str) -> None:
        """End it now: whatever waits for the server is woken, and nothing more is sent or read."""
        self.fail(kind, words)
        with self._lock:
            stream = self._stream
        if stream is not None:
            _shut(stream)

    def time_out(self) -> None:
        self.abort(OutcomeKind.TIMED_OUT, f"no whole answer within {self._seconds:g} seconds")

    def attach(self, stream: httpcore.NetworkStream) -> None:
        """The connection to close on ``abort``."""
        with self._lock:
            self._stream = stream
            over = self.problem is not None
        if over:
            _shut(stream)

    def check(self) -> float:
        """Seconds left to wait for the network."""
        left = self.left()
        if left <= 0:
            self.time_out()
        if self.problem is not None:
            raise _Stopped
        return left

    def count(self, received: int) -> None:
        self._read += received
        if self._read > self._most_bytes:
            self.fail(
                OutcomeKind.BAD_ANSWER,
                f"the answer is larger than {self._most_bytes:,} bytes; reading it was stopped",
            )
            raise _Stopped

    def send(self, request: httpx.Request) -> httpx.Response:
        """Send the one request and read the whole answer.

        Raises:
            httpx.TransportError: when that did not work; ``problem`` says why.
        """
        if self._admitted:
            raise httpx.ConnectError("one request is sent at a time; this is another one")
        self._admitted = True
        try:
            self._perform(request, self._headers_of(request))
        except _Stopped:
            pass
        except httpcore.TimeoutException:
            self.time_out()
        except httpcore.ProtocolError as error:
            if self._read:
                self.fail(OutcomeKind.BAD_ANSWER, f"the answer is no proper HTTP: {error}")
            self.fail(OutcomeKind.UNREACHABLE, "the server closed the connection unanswered")
        except (httpcore.NetworkError, OSError) as error:
            words = str(error) or type(error).__name__
            self.fail(OutcomeKind.UNREACHABLE, f"no connection to the model's server: {words}")
        if self.problem is not None or self.status is None:
            raise httpx.ReadError("the exchange was ended") from None
        return httpx.Response(self.status, headers=self.headers, content=self.body, request=request)

    def _headers_of(self, request: httpx.Request) -> httpx.Headers:
        """The headers that go out, if the request may go out at all."""
        headers = request.headers.copy()
        headers["accept-encoding"] = "identity"  # a small answer cannot unpack into a huge one
        if self.endpoint.origin is None:
            return headers
        url = request.url
        port = url.port or {"http": 80, "https": 443}.get(url.scheme, 0)
        scheme, host, its_port = self.endpoint.origin
        if (url.scheme, url.host.lower(), port) != (scheme, host.lower(), its_port):
            self.fail(
                OutcomeKind.REJECTED,
                f"a request to {url.scheme}://{url.host}:{port} was held back; this model may only"
                f" be asked at {scheme}://{host}:{its_port}",
            )
            raise _Stopped
        for name, value in request.headers.items():
            if name not in _HEADERS or NO_KEY in value:
                del headers[name]
        sent = "\n".join([str(url), *headers.values()])
        key = self.endpoint.api_key
        if any(secret in sent for secret in secrets_in_environment() if secret != key):
            self.fail(
                OutcomeKind.REJECTED,
                "the request was held back: it would have carried a secret of this machine that"
                " is not the key of this endpoint",
            )
            raise _Stopped
        return headers

    def _perform(self, request: httpx.Request, sent: httpx.Headers) -> None:
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        seconds = self.check()
        timeouts = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
        backend = _Backend(self)
        with httpcore.ConnectionPool(certificates(), network_backend=backend) as pool:
            raw = httpcore.Request(
                request.method,
                url,
                headers=sent.raw,
                content=request.read(),
                extensions={"timeout": timeouts},
            )
            response = pool.handle_request(raw)
            try:
                headers = httpx.Headers(response.headers)
                if 300 <= response.status < 400:
                    self.fail(
                        OutcomeKind.REJECTED,
                        f"the server answered {response.status}, a redirect; redirects are not"
                        " followed: name the address where the model really is",
                    )
                elif headers.get("content-encoding", "identity").lower() != "identity":
                    self.fail(OutcomeKind.BAD_ANSWER, "the answer is compressed, against our wish")
                else:
                    self.headers = headers
                    self.body = response.read()
                    self.status = response.status
            finally:
                response.close()


class GuardedTransport(httpx.BaseTransport):
    """Sends the request of the thread's exchange; without one, nothing leaves the machine."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        exchange = current.get()
        if exchange is None:
            raise httpx.ConnectError("no request of a run: nothing is sent")
        return exchange.send(request)


class _Backend(httpcore.NetworkBackend):
    """Connections that keep to the exchange's deadline and size."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._inner = httpcore.SyncBackend()

    def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> httpcore.NetworkStream:
        stream = self._inner.connect_tcp(host, port, timeout=self._exchange.check())
        return _Stream(stream, self._exchange)


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, exchange: Exchange) -> None:
        self._inner = inner
        self._exchange = exchange
        exchange.attach(inner)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._inner.read(max_bytes, self._exchange.check())
        self._exchange.count(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._exchange.sent = True
        self._inner.write(buffer, self._exchange.check())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        seconds = self._exchange.check()
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, seconds), self._exchange)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _shut(stream: httpcore.NetworkStream) -> None:
    """Wake whoever reads from or writes to it, in whichever thread."""
    connection = stream.get_extra_info("socket")
    if connection is not None:
        try:
            connection.shutdown(2)
        except OSError:  # it has ended by itself
            return


@cache
def certificates() -> ssl.SSLContext:
    """The trusted authorities, read once: that takes longer than a request on loopback."""
    return httpx.create_ssl_context()
