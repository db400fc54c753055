"""Log lines without secrets in them, and without characters that would forge or hide a line."""

from __future__ import annotations

import logging
from typing import Any

from oracles.models.redaction import names_a_secret, redact
from oracles.text import pieces

__all__ = ["RedactingFormatter", "names_a_secret", "redact"]

CONTINUED = "    | "
"""Before every line of a traceback: no line of one can be taken for a record of its own."""


class RedactingFormatter(logging.Formatter):
    """Hides secrets in the whole record, the traceback included, and keeps a message on one line.

    Names and answers that people and models wrote stand in messages: a line break in one must not
    begin a line that nobody logged, and an escape must not act on the terminal that shows it.
    """

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = visible(record.message.replace("\n", "⟨U+000A⟩"))
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:
        return _continued(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:
        return _continued(super().formatStack(stack_info))


def _continued(text: str) -> str:
    return "\n".join(CONTINUED + visible(line) for line in text.split("\n"))


def visible(text: str) -> str:
    """Hidden characters by their code point, as pages show them."""
    return "".join(f"⟨U+{ord(one):04X}⟩" if hidden else one for one, hidden in pieces(text))
