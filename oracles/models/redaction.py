"""Hiding passwords, keys and tokens in text that is about to be stored or shown."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from urllib.parse import quote

HIDDEN = "[hidden]"
SHORTEST_SECRET = 8
"""Shorter values of secret variables are no secret: hiding them would only mar the text."""
_SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL")
_PATTERNS = (
    (re.compile(r"(\b\w{1,40}://[^\s:/@]*):[^\s/@]+@"), r"\1:" + HIDDEN + "@"),
    (re.compile(r"\bcsro_[0-9a-f]{12}_[0-9a-f]+"), HIDDEN),
    (
        re.compile(r"(?i)\b(authorization['\"]?\s*[=:]\s*['\"]?)(?:\w+\s+)?[^\s'\",;]+"),
        r"\1" + HIDDEN,
    ),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}"), r"\1 " + HIDDEN),
    (re.compile(r"\bsk-[\w-]{8,}"), HIDDEN),
    (
        re.compile(
            r"(?i)\b(api[_-]?key|password|secret|token)(['\"]?\s*[=:]\s*['\"]?)[^\s'\",;&]+"
        ),
        r"\1\2" + HIDDEN,
    ),
)


def names_a_secret(variable: str) -> bool:
    """Whether an environment variable's name says that its value is a secret."""
    return any(word in variable.upper() for word in _SECRET_WORDS)


def secrets_in_environment() -> list[str]:
    """Values of variables that are named like a secret, longest first; short ones are no secret."""
    found = {
        value
        for name, value in os.environ.items()
        if names_a_secret(name) and len(value) >= SHORTEST_SECRET
    }
    return sorted(found, key=len, reverse=True)


def hide(text: str, secrets: Iterable[str]) -> str:
    """``text`` without these very values, as they are and as they stand in an address."""
    for secret in secrets:
        if secret:
            for form in (secret, quote(secret, safe="")):
                text = text.replace(form, HIDDEN)
    return text


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text with passwords in addresses, keys, tokens and secret variables' values hidden.

    ``secrets`` are further values to hide.
    """
    text = hide(text, (*secrets, *secrets_in_environment()))
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text
