"""SEARCH/REPLACE edits: each SEARCH must name exactly one place of the program it changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_SEARCH = re.compile(r"\s*<{5,9} ?SEARCH\s*$")
_DIVIDER = re.compile(r"\s*={5,9}\s*$")
_REPLACE = re.compile(r"\s*>{5,9} ?REPLACE\s*$")


class EditError(ValueError):
    """An edit that cannot be applied; the message says which one, and why."""


@dataclass(frozen=True)
class Edit:
    search: tuple[str, ...]
    replace: tuple[str, ...]


def has_edits(lines: Sequence[str]) -> bool:
    """Whether any line opens an edit."""
    return any(_SEARCH.match(line) for line in lines)


def parse_edits(lines: Sequence[str]) -> list[Edit]:
    """The edits in an answer, in order.

    Raises:
        EditError: when one is not complete.
    """
    edits: list[Edit] = []
    iterator = iter(lines)
    for line in iterator:
        if not _SEARCH.match(line):
            continue
        number = len(edits) + 1
        search = _until(iterator, _DIVIDER, f"edit {number} is incomplete: no line '======='")
        replace = _until(
            iterator, _REPLACE, f"edit {number} is incomplete: no line '>>>>>>> REPLACE'"
        )
        edits.append(Edit(search, replace))
    return edits


def _until(lines: object, end: re.Pattern[str], complaint: str) -> tuple[str, ...]:
    found: list[str] = []
    for line in lines:  # type: ignore[attr-defined]
        if end.match(line):
            return tuple(found)
        if _SEARCH.match(line):
            break
        found.append(line)
    raise EditError(complaint)


def apply_edits(base: str, edits: Sequence[Edit]) -> tuple[str, list[str]]:
    """``base`` after all ``edits``, one after the other, and the repairs that were needed.

    A SEARCH holds whole lines. When it is nowhere to be found as it stands, a place that differs in
    nothing but white space will do, if it is the only one; the replacement then moves along.

    Raises:
        EditError: when a SEARCH is empty or matches no place or several, or nothing changes.
    """
    lines = base.split("\n")
    repairs: list[str] = []
    for number, edit in enumerate(edits, start=1):
        lines, tolerant = _apply(lines, edit, number)
        if tolerant:
            repairs.append(f"edit {number} was matched apart from its white space")
    return "\n".join(lines), repairs


def _apply(lines: list[str], edit: Edit, number: int) -> tuple[list[str], bool]:
    search = list(edit.search)
    if not any(line.strip() for line in search):
        raise EditError(
            f"empty search: edit {number} does not say what it replaces; repeat the lines to change"
        )
    if edit.search == edit.replace:
        raise EditError(f"edit {number} changes nothing: SEARCH and REPLACE are equal")
    places = _places(lines, search, str)
    tolerant = not places
    shift = 0
    if tolerant:
        search = _without_blank_edges(search)
        places = _places(lines, search, _squeezed)
    if len(places) != 1:
        raise EditError(
            f"edit {number}: its SEARCH lines were not found exactly once, but {len(places)} times;"
            " it must hold whole lines of the program, enough of them to name one place"
        )
    start = places[0]
    if tolerant:
        shift = _indent(lines[start]) - _indent(search[0])
    replacement = [_moved(line, shift) for line in edit.replace]
    return lines[:start] + replacement + lines[start + len(search) :], tolerant


def _places(lines: list[str], search: list[str], form: Callable[[str], str]) -> list[int]:
    wanted = [form(line) for line in search]
    have = [form(line) for line in lines]
    return [
        start
        for start in range(len(have) - len(wanted) + 1)
        if have[start] == wanted[0] and have[start : start + len(wanted)] == wanted
    ]


def _squeezed(line: str) -> str:
    return " ".join(line.split())


def _without_blank_edges(lines: list[str]) -> list[str]:
    filled = [index for index, line in enumerate(lines) if line.strip()]
    return lines[filled[0] : filled[-1] + 1]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _moved(line: str, shift: int) -> str:
    if shift >= 0:
        return " " * shift + line if line.strip() else line
    return line[min(-shift, _indent(line)) :]
