"""Turn named parts into the text of a program: indentation, wrapped comments and docstrings."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LINE_LENGTH = 88


@dataclass(frozen=True)
class Block:
    """A named part of a printed program.

    ``method`` is the source of one method, flush left. ``setup`` are statements for the
    constructor, ``learn`` are statements that run once per observation, and ``needs`` names other
    blocks that must stand in the same program. ``idea`` says in one sentence what the block does.
    """

    name: str
    idea: str
    method: str = ""
    setup: tuple[str, ...] = ()
    learn: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


def with_needs(names: Sequence[str], catalogue: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks named, with everything that they need, in the order of the catalogue.

    Raises:
        KeyError: when a name is not in the catalogue.
    """
    by_name = {block.name: block for block in catalogue}
    wanted: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            waiting.extend(by_name[name].needs)
    return tuple(block for block in catalogue if block.name in wanted)


def indent(text: str, levels: int = 1) -> str:
    """``text`` without its common margin, moved in by ``levels`` steps of four spaces."""
    return textwrap.indent(textwrap.dedent(text).strip("\n"), "    " * levels)


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
