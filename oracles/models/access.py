"""The contract between what asks language models and what answers, counts and remembers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from games.engine import MatchCancelled
from oracles.options import ModelChoice

Message = Mapping[str, str]
"""``{"role", "content"}``."""


class BudgetExhausted(Exception):
    """A request was not sent because the run may not spend it; the message names the budget."""

    requests: int = 0
    """Requests that had been sent for the same question before."""


class ModelFailed(Exception):
    """No answer after all tries (rate limits, timeouts, broken answers): this request is spent.

    So is one whose prompt is too long for the model; another request may be shorter.
    """

    requests: int = 0
    """Requests that were sent in vain."""


class ModelRefused(Exception):
    """Nothing will help but a person: a wrong key, an unknown model, an address out of bounds."""


class AskLater(MatchCancelled):
    """The next request may be sent in ``seconds``, and not before: do something else until then,
    and ask the same question again. What was sent in vain is remembered by the ledger."""

    def __init__(self, message: str, *, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class Purpose(StrEnum):
    WRITE = "write"
    SUMMARY = "summary"
    TURN = "turn"


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """One question. ``key`` is unique within its run and names the answer in the replay store."""

    key: str
    purpose: Purpose
    messages: tuple[Message, ...]
    choice: ModelChoice
    seed: int
    """Draws the model out of the ensemble, and is sent along where the model takes a seed."""


@dataclass(frozen=True, kw_only=True)
class ModelAnswer:
    """What came back, before anybody has read it. Unknown figures are None, never zero."""

    text: str
    model: str | None
    """The model that served it, as the server said (else the one that was asked)."""
    finish_reason: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    usd: float | None
    """Of all requests that were sent for it; None when the price of any is unknown."""
    seconds: float
    requests: int
    """Requests that were ever sent for it, the failed ones included."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request as it is about to be sent: what must be reserved, and what will be recorded."""

    key: str
    purpose: Purpose
    attempt: int
    """Counts the requests for this key from 1."""
    model: str
    endpoint: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any]
    """Sampling parameters as they are sent, without keys and addresses."""
    most_tokens: int
    """Upper estimate of prompt and completion together."""
    most_usd: float | None
    """Upper estimate of the price; None when unknown."""


class OutcomeKind(StrEnum):
    ANSWERED = "answered"
    RATE_LIMITED = "rate_limited"
    TIMED_OUT = "timed_out"
    SERVER_ERROR = "server_error"
    BAD_ANSWER = "bad_answer"
    """The server answered with something that is no completion: empty, garbage, too large."""
    UNREACHABLE = "unreachable"
    NOT_AUTHORISED = "not_authorised"
    REJECTED = "rejected"
    """The request itself was refused: unknown model, wrong parameters, too long a prompt."""
    ABANDONED = "abandoned"
    """Whoever sent it died or was stopped before the end."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one request. ``error`` is redacted and in words."""

    kind: OutcomeKind
    error: str = ""
    text: str | None = None
    model: str | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usd: float | None = None
    seconds: float = 0.0
    details: Mapping[str, Any] = field(default_factory=dict)


RETRIED = frozenset(
    {
        OutcomeKind.RATE_LIMITED,
        OutcomeKind.TIMED_OUT,
        OutcomeKind.SERVER_ERROR,
        OutcomeKind.BAD_ANSWER,
        OutcomeKind.UNREACHABLE,
    }
)
"""After these the same request may be sent once more."""


@dataclass(frozen=True, kw_only=True)
class Vain:
    """A request that was sent in vain, and whom it was sent to."""

    model: str
    endpoint: str
    outcome: Outcome


class Ledger(Protocol):
    """Remembers every request and lets none through that would pass the budget.

    Its methods are called from several threads and processes at once.
    """

    def recall(self, key: str) -> ModelAnswer | None:
        """The answer that was given to ``key`` before (a step may be done twice), else None."""
        ...

    def in_vain(self, key: str) -> Sequence[Vain]:
        """The requests for ``key`` that came to an end in :data:`RETRIED`, oldest first."""
        ...

    def reserve(self, asked: Asked) -> int:
        """Take the request out of the budget, those in flight counted, before it is sent.

        Returns:
            The number under which :meth:`settle` is told the outcome.

        Raises:
            BudgetExhausted: when it would pass a limit; then it must not be sent.
            ModelRefused: when its price is unknown and there is a limit in US dollars.
        """
        ...

    def settle(self, reservation: int, outcome: Outcome) -> None:
        """Record the outcome and what it really cost.

        An unknown count of tokens or an unknown price stays reserved at its upper estimate.
        """
        ...


class ModelClient(Protocol):
    def ask(
        self, request: ModelRequest, should_stop: Callable[[], bool] | None = None
    ) -> ModelAnswer:
        """The answer, after as many requests as ``request.choice.retries`` allows.

        Raises:
            BudgetExhausted: when the next request would pass the budget.
            ModelFailed: when no try was answered.
            ModelRefused: when no further try could be.
            AskLater: when a long wait is due and the client was told not to sit through it.
            games.engine.MatchCancelled: when ``should_stop`` said so.
        """
        ...
