"""A server of models that does what the name of the model says, and what becomes of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.model_server import (
    Behaviour,
    Exchange,
    ModelServer,
    Received,
    answers,
    closes,
    completion,
    drips,
    echoes_headers,
    huge,
    redirects,
    sends,
    shape,
    silent,
    status,
    truncated,
)

RETRIES = 1
CALLS = 5
"""Budget of each run."""


def program(number: int) -> str:
    """A policy that plays without faults, another one for each number."""
    return f'''Here it is.

```python
class Policy:
    """Takes one of the legal actions, the same one most of the time."""

    def act(self, obs):
        actions = obs["legal_actions"]
        return actions[{number} % len(actions)]
```
'''


@dataclass(frozen=True)
class Kind:
    """What the server does at the n-th request (from 0), and what a run makes of it."""

    behave: Callable[[int], Behaviour]
    outcomes: frozenset[str]
    """Outcomes of the calls, as the pages name them."""
    ends: str = "finished"
    """The state that a run comes to rest in."""

    @property
    def deadline_seconds(self) -> float:
        """Short where it will be reached, and not reached elsewhere by a busy machine."""
        return 1.5 if self.outcomes == {"timed_out"} else 60.0


def _good(number: int) -> Behaviour:
    return answers(program(number))


def _always(behaviour: Behaviour, *outcomes: str, ends: str = "finished") -> Kind:
    return Kind(lambda _: behaviour, frozenset(outcomes), ends)


def _first(behaviour: Behaviour, outcome: str) -> Kind:
    """Once, then well."""
    return Kind(lambda n: behaviour if n == 0 else _good(n), frozenset({outcome, "answered"}))


def _tells_the_key(exchange: Exchange) -> None:
    key = exchange.received.headers["authorization"]
    answers(f"# your key is {key}\n{program(1)}", model=f"m {key}", finish_reason=key)(exchange)


KINDS: dict[str, Kind] = {
    "good": Kind(_good, frozenset({"answered"})),
    "waits": _first(status(429, "slow down", retry_after="0.2"), "rate_limited"),
    "always-429": _always(status(429, "no more", retry_after="0.1"), "rate_limited"),
    "fails-once": _first(status(500, "oops"), "server_error"),
    "always-500": _always(status(500, "oops"), "server_error"),
    "silent": _always(silent(), "timed_out"),
    "drips": _always(drips(seconds=0.2), "timed_out"),
    "drips-headers": _always(drips(seconds=0.2, headers_too=True), "timed_out"),
    "nothing": _always(sends(b""), "bad_answer"),
    "empty": _always(answers(""), "bad_answer"),
    "null": _always(answers(None), "bad_answer"),
    "truncated": _always(truncated(), "bad_answer"),
    "garbage": _always(sends(b"\x00\xff<html>" * 50), "bad_answer"),
    "wrong-json": _always(shape({"choices": "none"}), "bad_answer"),
    "huge": _always(huge(20_000_000), "bad_answer"),
    "hangs-up": _always(closes(b"HTTP/1.1 200 OK\r\nContent-"), "bad_answer", "unreachable"),
    "other-model": Kind(lambda n: answers(program(n), model="cheaper"), frozenset({"answered"})),
    "no-usage": Kind(lambda n: answers(program(n), usage=False), frozenset({"answered"})),
    "absurd-usage": Kind(
        lambda n: shape(completion(program(n), usage={"prompt_tokens": -1, "x": 1})),
        frozenset({"answered"}),
    ),
    "tells-the-key": Kind(lambda _: _tells_the_key, frozenset({"answered"})),
    "repeats-headers": _always(echoes_headers(401), "not_authorised", ends="paused"),
    "redirects": _always(
        redirects("http://127.0.0.1:1/latest/meta-data"), "rejected", ends="paused"
    ),
    "unknown": _always(status(404, "no such model"), "rejected", ends="paused"),
}


class MisbehavingServer(ModelServer):
    """Behaves as of :data:`KINDS` by the model that is asked for; other names are served well."""

    def __init__(self) -> None:
        super().__init__(models=None)
        self.asked: dict[str, int] = {}

    def next_behaviour(self, received: Received) -> Behaviour:
        model = str(received.body["model"])
        with self._lock:
            self.requests.append(received)
            number = self.asked.get(model, 0)
            self.asked[model] = number + 1
        return KINDS[model].behave(number) if model in KINDS else _good(number)

    def endpoints(self) -> str:
        """The file of endpoints that offers all of them, with a key and a price."""
        names = ", ".join(f'"{name}"' for name in KINDS)
        prices = "".join(f'[lab.prices."{name}"]\nprompt = 1\ncompletion = 2\n' for name in KINDS)
        return (
            f'[lab]\napi_base = "{self.url}"\nkey_env = "LAB_API_KEY"\nmodels = [{names}]\n{prices}'
        )
