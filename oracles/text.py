"""Text that models and policies wrote: made fit to be stored, seen, and quoted in a prompt."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

_BLANKS = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
"""Letters and marks that draw nothing (fillers, the braille blank, the grapheme joiner)."""
_HIDDEN_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}
_ORDINARY = re.compile(r"[\t\n\x20-\x7e]+")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_CHAT_MARK = re.compile(
    r"<\|(?=\w)|(?<=\w)\|>|</?s>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|<[be]os>"
)
"""What servers of open models may take for the end of a message, also inside of one."""
LONGEST_NAME = 120


def is_hidden(character: str) -> bool:
    """Whether a reader would not see this character, or see other text because of it."""
    if character in "\n\t ":
        return False
    code = ord(character)
    return (
        unicodedata.category(character) in _HIDDEN_CATEGORIES
        or code in _BLANKS
        or 0xFE00 <= code <= 0xFE0F
        or 0xE0100 <= code <= 0xE01EF
    )


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Split into runs: ``(run, False)`` to be shown as it is, ``(character, True)`` if hidden."""
    start = position = 0
    while position < len(text):
        ordinary = _ORDINARY.match(text, position)
        if ordinary:
            position = ordinary.end()
            continue
        if is_hidden(text[position]):
            if start < position:
                yield text[start:position], False
            yield text[position], True
            start = position + 1
        position += 1
    if start < len(text):
        yield text[start:], False


def storable(value: Any) -> Any:
    """The same value with NUL and lone surrogates written out (``\\x00``, ``\\ud800``).

    PostgreSQL cannot store the first and UTF-8 cannot encode the second. Strings inside lists,
    tuples and dictionaries are treated likewise; everything else is returned as it is.
    """
    if isinstance(value, str):
        return _UNSTORABLE.sub(lambda match: _escape(match.group()), value)
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    return value


@lru_cache(maxsize=256)
def fenced(text: str, tag: str = "text") -> str:
    """``text`` as data in a prompt: in a fence that nothing inside it can close.

    Characters that a reader would not see are written out as Python escapes (``\\u200b``), and the
    marks by which chat templates separate messages are broken by a space.
    """
    shown = quoted(text)
    fence = fence_for(shown)
    return f"{fence}{tag}\n{shown.rstrip()}\n{fence}"


def quoted(text: str) -> str:
    """The text of a fence: everything visible, no mark that a chat template would act on."""
    lines = text.replace("\r\n", "\n")
    seen = "".join(_escape(piece) if hidden else piece for piece, hidden in pieces(lines))
    return _CHAT_MARK.sub(lambda match: f"{match.group()[0]} {match.group()[1:]}", seen)


@lru_cache(maxsize=4096)
def one_line(text: str, limit: int = LONGEST_NAME) -> str:
    """A name that may stand outside of a fence: one short line without marks of Markdown."""
    plain = re.sub("[`#<>|\\[\\]]", "", " ".join(quoted(text).split()))
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"


def fence_for(text: str) -> str:
    """A run of backticks longer than any in ``text``: what stands inside cannot close it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(3, longest + 1)


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
