"""Requests and outcomes as a client of models makes them."""

from __future__ import annotations

from typing import Any

from oracles.models import Asked, Outcome, OutcomeKind, Purpose


def asked(key: str = "it1/attempt1/write", **changes: Any) -> Asked:
    values: dict[str, Any] = {
        "key": key,
        "purpose": Purpose.WRITE,
        "attempt": 1,
        "model": "openai/m",
        "endpoint": "",
        "messages": ({"role": "user", "content": "Write a policy."},),
        "parameters": {"temperature": 0.7},
        "most_tokens": 1000,
        "most_usd": 0.01,
    }
    return Asked(**{**values, **changes})


def answered(text: str = "class Policy: ...", **changes: Any) -> Outcome:
    values: dict[str, Any] = {
        "model": "m-2026",
        "finish_reason": "stop",
        "prompt_tokens": 60,
        "completion_tokens": 40,
        "usd": 0.001,
        "seconds": 0.5,
    }
    return Outcome(kind=OutcomeKind.ANSWERED, text=text, **{**values, **changes})
