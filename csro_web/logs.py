"""Log lines without secrets in them, and without characters that would forge or hide a line."""

from __future__ import annotations

import logging
from typing import Any

from django.utils.functional import SimpleLazyObject

from oracles.models.redaction import names_a_secret, redact
from oracles.text import pieces

__all__ = ["PlainRefusals", "RedactingFormatter", "names_a_secret", "redact"]

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


LONGEST_SHOWN = 300
"""Characters of an address or a reason in the line of a refusal."""


class PlainRefusals(logging.Filter):
    """A request that was refused is no fault of ours: one line without a traceback says who asked
    for what, and why not. What failed here (a status of 500 and more) keeps its traceback.

    Anybody can have requests refused, as many as they like: what they send must not fill a log with
    tracebacks among which nobody finds a real one.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        request: Any = getattr(record, "request", None)
        status = getattr(record, "status_code", None)
        if request is None or status is None or not 400 <= status < 500:
            return True
        error = record.exc_info[1] if record.exc_info else None
        reason = (
            getattr(request, "refusal", "") or getattr(error, "in_logs", "") or str(error or "")
        )
        record.exc_info = record.exc_text = None
        if reason:
            asked = f"{request.method} {request.path}"[:LONGEST_SHOWN]
            record.msg = "refused (%s): %s: %s: %s"
            record.args = (status, _who(request), asked, reason[:LONGEST_SHOWN])
        return True


def _who(request: Any) -> str:
    """The name of who is signed in; nobody is looked up for it, for that could fail too."""
    person = vars(request).get("user")
    if isinstance(person, SimpleLazyObject):
        person = getattr(request, "_cached_user", None)
    return getattr(person, "username", "") or "nobody signed in"


def _continued(text: str) -> str:
    return "\n".join(CONTINUED + visible(line) for line in text.split("\n"))


def visible(text: str) -> str:
    """Hidden characters by their code point, as pages show them."""
    return "".join(f"⟨U+{ord(one):04X}⟩" if hidden else one for one, hidden in pieces(text))
