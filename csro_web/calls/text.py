"""What models were told and said, as it may be kept: without secrets, and of bounded size."""

from __future__ import annotations

from typing import Any

from csro_web.logs import redact
from oracles.models.redaction import HIDDEN, secrets_in_environment
from oracles.text import storable

LONGEST_ANSWER = 2_000_000
"""Characters of an answer that are kept."""
LONGEST_ERROR = 2_000


def without_secrets(value: Any) -> Any:
    """The same with the values of secret variables hidden, in all strings inside.

    Nothing else is changed: a program that a model wrote must stay the program it is.
    """
    if isinstance(value, str):
        for secret in secrets_in_environment():
            value = value.replace(secret, HIDDEN)
        return value
    if isinstance(value, dict):
        return {key: without_secrets(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_secrets(item) for item in value]
    return value


def bounded(answer: str | None) -> tuple[str | None, int]:
    """An answer as it is kept, and how many characters were cut off its end."""
    if answer is None:
        return None, 0
    kept = without_secrets(answer)
    return kept[:LONGEST_ANSWER], max(len(kept) - LONGEST_ANSWER, 0)


def short(name: str | None, most: int) -> str:
    """A name as every database takes it, without secrets; empty for None."""
    text: str = storable(without_secrets(name or ""))
    return text[:most]


def shown_error(error: str) -> str:
    """An error in one line that every database takes, without secrets."""
    text: str = storable(redact(" ".join(error.split())))
    return text[:LONGEST_ERROR]
