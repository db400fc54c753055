"""The programs that people read, compare and question: policies, and candidates of a search."""

from __future__ import annotations

import re
from typing import Any

from django.urls import reverse

from csro_web.accounts.models import User
from csro_web.accounts.ownership import visible
from csro_web.pages.keys import row_number
from csro_web.policies.models import Candidate, Policy

Program = Policy | Candidate
Reference = str
"""What names a program in a query string, a form and a line of versions: ``12`` a policy, ``c7`` a
candidate."""

_REFERENCE = re.compile(r"(?P<kind>c?)(?P<key>[0-9]+)")
HEAVY = ("messages", "completion", "source", "per_opponent", "tracebacks", "feedback")
"""Columns of a candidate that lists do not need."""


def reference(program: Program) -> Reference:
    return f"{'c' if isinstance(program, Candidate) else ''}{program.pk}"


def read_reference(text: str) -> tuple[type[Program], int] | None:
    """The kind of program and its key; None for what names none."""
    match = _REFERENCE.fullmatch(text)
    key = row_number(match["key"]) if match else None
    if match is None or key is None:
        return None
    return (Candidate if match["kind"] else Policy), key


def find(text: str, user: User) -> Program | None:
    """The program with its run, if it is there for this person. At most 1 query."""
    named = read_reference(text)
    if named is None:
        return None
    rows: Any = named[0].objects.select_related("run")
    found: Program | None = visible(rows, user).filter(pk=named[1]).first()
    return found


def title(program: Program) -> str:
    if isinstance(program, Policy):
        return program.name
    return f"iteration {program.iteration}, attempt {program.attempt}"


def address(program: Program, page: str) -> str:
    """Of a page that both kinds have: ``threads``, ``review``, ``comment``."""
    if isinstance(program, Candidate):
        return reverse(f"candidate-{page}", kwargs={"candidate_id": program.pk})
    return reverse(f"policy-{page}", kwargs={"policy_id": program.pk})
