"""CSV that is handed on line by line, and that no spreadsheet takes for formulas."""

from __future__ import annotations


class Echo:
    """What csv.writer needs of a file, to hand each line on."""

    def write(self, line: str) -> str:
        return line


def safe_cell(text: str | None) -> str:
    """A name that no spreadsheet takes for a formula."""
    text = text or ""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
