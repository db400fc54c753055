"""What became of a request, told from the bytes on the wire first and from litellm second."""

from __future__ import annotations

import re
from typing import Any

from oracles.models.access import Outcome, OutcomeKind
from oracles.models.exchange import Exchange
from oracles.models.prices import Tariff
from oracles.models.redaction import hide, redact, secrets_in_environment
from oracles.models.waiting import retry_after
from oracles.text import pieces

LONGEST_ERROR = 500
MOST_TOKENS = 10**9
"""A larger count of tokens is no count."""
_BY_STATUS = {
    401: OutcomeKind.NOT_AUTHORISED,
    402: OutcomeKind.NOT_AUTHORISED,
    403: OutcomeKind.NOT_AUTHORISED,
    408: OutcomeKind.TIMED_OUT,
    409: OutcomeKind.SERVER_ERROR,
    425: OutcomeKind.SERVER_ERROR,
    429: OutcomeKind.RATE_LIMITED,
}
_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|(?:prompt|input|message)s?\W.{0,60}too long"
    r"|too many tokens",
    re.IGNORECASE,
)
"""How servers say that a prompt does not fit: there is no status of its own for it."""
_COUNTS = ("usage", "usageMetadata", "prompt_eval_count", "meta")
"""Where providers' answers hold the numbers of tokens. litellm makes them up where they do not."""


def outcome_of(
    exchange: Exchange,
    *,
    response: Any,
    error: BaseException | None,
    tariff: Tariff | None,
    seconds: float,
) -> Outcome:
    """The outcome of the exchange; ``response`` and ``error`` are what litellm made of it."""
    if exchange.problem is not None:
        kind, words = exchange.problem
        return _failed(exchange, kind, words, seconds, billed=exchange.sent)
    status = exchange.status
    if status is None:
        name = type(error).__name__
        refused = "Authentication" in name or "PermissionDenied" in name
        kind = OutcomeKind.NOT_AUTHORISED if refused else OutcomeKind.REJECTED
        return _failed(exchange, kind, f"the request could not be made: {error}", seconds)
    body = exchange.json()
    reported = _error_code(body)
    if status < 400 and reported is not None:
        status = reported
    if status >= 400:
        words = f"the server answered {status}: {_message(exchange, body)}"
        too_long = status == 413 or (status in (400, 422) and bool(_TOO_LONG.search(words)))
        return _failed(exchange, _kind_of(status), words, seconds, too_long=too_long)
    if error is not None:
        words = f"the answer is no completion: {_start_of(exchange) or 'it is empty'}"
        return _failed(exchange, OutcomeKind.BAD_ANSWER, words, seconds, billed=True)
    return _answered(exchange, response, body, tariff, seconds)


def _kind_of(status: int) -> OutcomeKind:
    if status >= 500:
        return OutcomeKind.SERVER_ERROR
    return _BY_STATUS.get(status, OutcomeKind.REJECTED)


def _failed(
    exchange: Exchange,
    kind: OutcomeKind,
    words: str,
    seconds: float,
    *,
    billed: bool = False,
    too_long: bool = False,
) -> Outcome:
    """What may have been billed costs an unknown sum; refused requests cost nothing."""
    nothing = None if billed else 0
    return Outcome(
        kind=kind,
        error=in_one_line(words, exchange),
        prompt_tokens=nothing,
        completion_tokens=nothing,
        usd=None if billed else 0.0,
        seconds=seconds,
        details={**_details(exchange), "too_long": too_long},
    )


def _answered(
    exchange: Exchange,
    response: Any,
    body: dict[str, Any],
    tariff: Tariff | None,
    seconds: float,
) -> Outcome:
    text, finish_reason = _text(response), _finish_reason(response, body)
    usage = getattr(response, "usage", None) if any(name in body for name in _COUNTS) else None
    prompt = _count(usage, "prompt_tokens") or None  # a prompt of no tokens was never sent
    completion = _count(usage, "completion_tokens")
    if completion == 0 and text:
        completion = None
    usd = None
    if tariff is not None and prompt is not None and completion is not None:
        cached = _count(getattr(usage, "prompt_tokens_details", None), "cached_tokens") or 0
        usd = tariff.cost(prompt_tokens=prompt, completion_tokens=completion, cached_tokens=cached)
    good = text is not None and bool(text.strip())
    served = next((v for n in ("model", "modelVersion") if isinstance(v := body.get(n), str)), None)
    return Outcome(
        kind=OutcomeKind.ANSWERED if good else OutcomeKind.BAD_ANSWER,
        error="" if good else in_one_line(f"the answer has no text ({finish_reason})", exchange),
        text=_hidden(text, exchange) if good else None,
        model=_word(served, exchange),
        finish_reason=_word(finish_reason, exchange),
        prompt_tokens=prompt,
        completion_tokens=completion,
        usd=usd,
        seconds=seconds,
        details=_details(exchange),
    )


def _text(response: Any) -> str | None:
    """Content of the first choice; None for what is not there or is no text."""
    content = getattr(getattr(_first(response), "message", None), "content", None)
    return content if isinstance(content, str) else None


def _finish_reason(response: Any, body: dict[str, Any]) -> str | None:
    """As the server put it, where it speaks OpenAI's protocol: litellm says "stop" for all else."""
    if "choices" in body:
        first = next(iter(body["choices"]), None) if isinstance(body["choices"], list) else None
        reason = first.get("finish_reason") if isinstance(first, dict) else None
    else:
        reason = getattr(_first(response), "finish_reason", None)
    return reason if isinstance(reason, str) else None


def _first(response: Any) -> Any:
    choices = getattr(response, "choices", None)
    return choices[0] if isinstance(choices, list) and choices else None


def _count(usage: Any, name: str) -> int | None:
    value = getattr(usage, name, None)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
        return value
    return None


def _error_code(body: dict[str, Any]) -> int | None:
    """The status that some gateways put into the body of a 200."""
    error = body.get("error")
    if not isinstance(error, dict) or body.get("choices"):
        return None
    code = error.get("code")
    return code if isinstance(code, int) and 400 <= code < 600 else 502


def _message(exchange: Exchange, body: dict[str, Any]) -> str:
    error = body.get("error", body)
    if isinstance(error, dict):
        error = next((v for n in ("message", "detail", "error") if (v := error.get(n))), None)
    return str(error) if error else _start_of(exchange) or "no reason given"


def _start_of(exchange: Exchange) -> str:
    return exchange.body[:LONGEST_ERROR].decode("utf-8", "replace").strip()


def _details(exchange: Exchange) -> dict[str, Any]:
    return {
        "status": exchange.status,
        "bytes": len(exchange.body),
        "retry_after": retry_after(exchange.headers),
    }


def _hidden(text: str | None, exchange: Exchange) -> str | None:
    """An answer may repeat a key; apart from such it is kept as it came."""
    return None if text is None else hide(text, _secrets(exchange))


def _word(text: str | None, exchange: Exchange) -> str | None:
    return in_one_line(text, exchange)[:200] if text else None


def in_one_line(text: str, exchange: Exchange) -> str:
    """Text of a stranger as one short line without secrets that every database takes."""
    known = hide(text, _secrets(exchange))
    clean = redact(known[: 10 * LONGEST_ERROR])  # long texts cost time, and are cut anyway
    seen = "".join(" " if hidden else piece for piece, hidden in pieces(clean))
    return " ".join(seen.split())[:LONGEST_ERROR]


def _secrets(exchange: Exchange) -> tuple[str, ...]:
    """The key that was sent, and what nobody else should have been told."""
    return exchange.endpoint.api_key or "", *secrets_in_environment()
