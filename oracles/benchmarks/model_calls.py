"""What the client adds to a request, against a bare HTTP request to the same server."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import quantiles
from typing import Any

from games.benchmarks.rows import Row
from oracles.models.access import Ledger, ModelRequest, Purpose
from oracles.models.litellm_client import LiteLlmClient
from oracles.models.loading import load_litellm
from oracles.models.memory import MemoryLedger
from oracles.options import ModelChoice, ModelRef

MODEL = "answers-at-once"
CALLS = 100
ALLOWED_MS = 50.0
"""What the product may add to a call."""
_PROMPT = "Write a policy that beats the opponents below.\n" * 200
_ANSWER = "class Policy:\n    def act(self, obs):\n        return 1\n" * 40


class _AnswersAtOnce(BaseHTTPRequestHandler):
    """The smallest server that speaks enough of OpenAI's protocol."""

    disable_nagle_algorithm = True
    body = json.dumps(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": MODEL,
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": _ANSWER},
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 2000, "completion_tokens": 600, "total_tokens": 2600},
        }
    ).encode()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nobody reads it."""


def overhead(ledger: Ledger | None = None, kept: str = "in memory") -> list[Row]:
    """Milliseconds per call, bare and through the client, taken in turns in this process.

    ``ledger`` is one that takes any number of calls; ``kept`` says where it keeps them.
    """
    began = time.perf_counter()
    load_litellm()
    importing = time.perf_counter() - began
    with ThreadingHTTPServer(("127.0.0.1", 0), _AnswersAtOnce) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            bare, ours = _measure(server.server_address[1], ledger or MemoryLedger())
        finally:
            server.shutdown()
    added = ours - bare
    note = (
        f"lowest deciles of {CALLS} calls, kept {kept}, to a server of this machine that answers"
        f" at once; litellm's import took {importing:.1f} s once and is not counted"
    )
    return [
        Row("model-call", ours, bare, ours / bare, None, "ms a call", note),
        Row(
            "model-call-added",
            added,
            ALLOWED_MS,
            added / ALLOWED_MS,
            1.0,
            "ms added, ms allowed",
            "what reserving, litellm, the guarded transport and the reading of the answer take",
            at_most=True,
        ),
    ]


def _measure(port: int, ledger: Ledger) -> tuple[float, float]:
    client = LiteLlmClient(ledger)
    choice = ModelChoice(
        models=(ModelRef(model=MODEL),), api_base=f"http://127.0.0.1:{port}/v1", retries=0
    )
    messages = ({"role": "user", "content": _PROMPT},)

    def ask(number: int) -> None:
        client.ask(
            ModelRequest(
                key=str(number), purpose=Purpose.WRITE, messages=messages, choice=choice, seed=0
            )
        )

    def send(number: int) -> None:
        body = json.dumps({"model": MODEL, "messages": messages, "seed": number}).encode()
        connection = HTTPConnection("127.0.0.1", port)
        connection.request("POST", "/v1/chat/completions", body)
        json.loads(connection.getresponse().read())
        connection.close()

    for number in range(5):  # caches of litellm, compiled patterns, certificates
        ask(-number - 1)
        send(number)
    times = [(_timed(send, number), _timed(ask, number)) for number in range(CALLS)]
    return _quick([bare for bare, _ in times]), _quick([ours for _, ours in times])


def _quick(milliseconds: list[float]) -> float:
    """The lowest decile: whatever else the machine does only adds to a call."""
    return quantiles(milliseconds, n=10)[0]


def _timed(work: Callable[[int], None], number: int) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    work(number)
    return (time.perf_counter() - began) * 1000.0
