"""What people and models wrote cannot forge a line of the log, or act on who reads it."""

from __future__ import annotations

import logging
import sys

import pytest

from csro_web.logs import CONTINUED, RedactingFormatter
from tests.web import hostile

FORGED = "run 1\n2026-11-30 00:00:00,000 WARNING csro_web: run 2 was deleted"


def formatted(message: str, *args: object, failed: bool = False) -> str:
    formatter = RedactingFormatter("{levelname} {message}", style="{")
    trace = sys.exc_info() if failed else None
    return formatter.format(logging.LogRecord("x", logging.INFO, "", 0, message, args, trace))


@pytest.mark.parametrize(
    "text", [hostile.TEXT, hostile.SHORT, FORGED, "a\rb\x85c\u2028d\x00e\x1b[A"]
)
def test_a_message_is_one_line_and_every_character_of_it_can_be_seen(text: str) -> None:
    line = formatted("%s is paused", text)
    assert len(line.splitlines()) == 1
    assert line.isprintable()


def test_ordinary_text_of_any_script_stays_as_it_is() -> None:
    assert formatted("für 日本語 %s", "ok") == "INFO für 日本語 ok"


def test_no_line_of_a_traceback_looks_like_a_record() -> None:
    try:
        raise ValueError(FORGED + "\x1b[2J")
    except ValueError:
        text = formatted("step %s failed", "a", failed=True)
    first, *rest = text.split("\n")
    assert first == "INFO step a failed"
    assert len(rest) > 3
    assert all(line.startswith(CONTINUED) for line in rest)
    assert "\x1b" not in text


def test_secrets_stay_hidden() -> None:
    assert "hunter2hunter2" not in formatted("password=%s", "hunter2hunter2")
