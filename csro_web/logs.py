"""Log lines without secrets in them."""

from __future__ import annotations

import logging

from oracles.models.redaction import names_a_secret, redact

__all__ = ["RedactingFormatter", "names_a_secret", "redact"]


class RedactingFormatter(logging.Formatter):
    """Hides secrets in the whole record, the traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))
