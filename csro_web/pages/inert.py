"""Text that a model or a stranger wrote, made visible and unable to act.

Markup is escaped. Characters that a reader cannot see, or that rearrange what is seen
(bidirectional controls, zero-width characters, terminal escapes, look-alike blanks), are shown by
their code point. Lines of extreme length are cut, and the cut is said.
"""

from __future__ import annotations

import unicodedata

from django.utils.html import conditional_escape, escape
from django.utils.safestring import SafeString, mark_safe

from oracles.text import pieces

LONGEST_LINE = 2_000
LONGEST_TEXT = 200_000

_NAMES = {0x00: "NULL", 0x07: "BELL", 0x08: "BACKSPACE", 0x0D: "CARRIAGE RETURN", 0x1B: "ESCAPE"}


def visible(text: str) -> SafeString:
    """HTML of one piece of text: escaped, and with hidden characters shown by their code."""
    return mark_safe(  # noqa: S308 - every part is escaped right here
        "".join(_mark(piece) if hidden else escape(piece) for piece, hidden in pieces(text))
    )


def shortened(line: str, limit: int = LONGEST_LINE) -> tuple[str, int]:
    """The line cut to ``limit`` characters, and how many were left out."""
    return (line, 0) if len(line) <= limit else (line[:limit], len(line) - limit)


def visible_text(text: str) -> SafeString:
    """HTML of a longer text for a ``<pre>``: inert, with its lines and its length bounded."""
    shown, beyond = shortened(text, LONGEST_TEXT)
    lines = []
    for line in shown.replace("\r\n", "\n").split("\n"):
        head, cut = shortened(line)
        lines.append(visible(head) + cut_mark(cut))
    if beyond:
        lines.append(cut_mark(beyond))
    return mark_safe("\n".join(lines))  # noqa: S308 - joined from escaped lines


def cut_mark(count: int) -> SafeString:
    """Says how much was left out; nothing when nothing was."""
    if not count:
        return SafeString()
    return mark_safe(  # noqa: S308 - a number
        f'<span class="cut">… {count:,} more characters are not shown</span>'
    )


def plain(text: str) -> str:
    """The same without HTML, for attributes and drawings: hidden characters by their code."""
    return "".join(f"⟨U+{ord(piece):04X}⟩" if hidden else piece for piece, hidden in pieces(text))


def _mark(character: str) -> str:
    code = ord(character)
    name = unicodedata.name(character, _NAMES.get(code, "unnamed character"))
    return f'<span class="hidden-char" title="{conditional_escape(name)}">U+{code:04X}</span>'
