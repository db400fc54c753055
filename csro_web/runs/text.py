"""Text that no database refuses, for what models and policies wrote."""

from __future__ import annotations

import re
from typing import Any

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(value: Any) -> Any:
    """The same value with NUL and lone surrogates written out (``\\x00``, ``\\ud800``).

    PostgreSQL cannot store the first and UTF-8 cannot encode the second. Strings inside lists,
    tuples and dictionaries are treated likewise; everything else is returned as it is.
    """
    if isinstance(value, str):
        return _UNSTORABLE.sub(_written_out, value)
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    return value


def _written_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
