"""Log lines without secrets in them."""

from __future__ import annotations

import logging
import os
import re

HIDDEN = "[hidden]"
_SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL")
_PATTERNS = (
    (re.compile(r"(\w+://[^\s:/@]*):[^\s/@]+@"), r"\1:" + HIDDEN + "@"),
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
        value for name, value in os.environ.items() if names_a_secret(name) and len(value) >= 8
    }
    return sorted(found, key=len, reverse=True)


def redact(line: str) -> str:
    """The text with passwords in addresses, keys, tokens and secret variables' values hidden."""
    for value in secrets_in_environment():
        line = line.replace(value, HIDDEN)
    for pattern, replacement in _PATTERNS:
        line = pattern.sub(replacement, line)
    return line


class RedactingFormatter(logging.Formatter):
    """Hides secrets in the whole record, the traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))
