"""Wrapped comments and docstrings of the programs that the grammar prints."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

LINE_LENGTH = 88


def comment(text: str, levels: int = 0) -> list[str]:
    """``text`` as comment lines that keep within the line length."""
    margin = "    " * levels + "# "
    return textwrap.wrap(
        text, LINE_LENGTH, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False
    )


def docstring(paragraphs: Iterable[str], levels: int = 1) -> str:
    """A docstring of one summary line and wrapped paragraphs; a paragraph ``- ...`` is an item."""
    margin = "    " * levels
    parts = list(paragraphs)
    lines = [f'{margin}"""{parts[0]}']
    previous_item = False
    for part in parts[1:]:
        item = part.startswith("- ")
        if not (item and previous_item):
            lines.append("")
        following = margin + ("  " if item else "")
        lines += textwrap.wrap(
            part,
            LINE_LENGTH,
            initial_indent=margin,
            subsequent_indent=following,
            break_on_hyphens=False,
        )
        previous_item = item
    lines.append(f'{margin}"""')
    return "\n".join(lines)
