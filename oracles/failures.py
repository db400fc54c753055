"""A run's memory of proposals that failed, so that the same failure is not proposed twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from games.sandbox.text import own_frames
from oracles.context import program_summary
from oracles.state import CandidateRecord

MOST_FAILURES = 12
"""Different failures that a prompt tells of: the latest ones."""
LONGEST_FAILURE = 240
LOOKED_AT = 200
"""Failures that are gone through, so that a long search pays no more than a short one."""
DUPLICATE = "duplicate"
"""Begins the reason of a refusal because the program is known already."""
_OWN_ATTEMPT = re.compile(r"duplicate: the same (program|answer) as it\d+/attempt\d+, ")
_KNOWN = "duplicate: a program that the run knows already, apart from its layout"


def told_reason(record: CandidateRecord, *, hide_names: bool) -> str:
    """Why a proposal was refused, without the name of an opponent that the writer may not know."""
    duplicate = record.reason.startswith(DUPLICATE)
    if hide_names and duplicate and not _OWN_ATTEMPT.match(record.reason):
        return _KNOWN
    return record.reason


def remembered_failures(records: Sequence[CandidateRecord], *, hide_names: bool) -> tuple[str, ...]:
    """One line for each different failure among the latest of ``records``, the latest last.

    What is told is quoted from programs: it must stand in a fence.
    """
    failed = [record for record in records if _failed(record)]
    counts = Counter[str]()
    for record in failed[-LOOKED_AT:]:
        told = _told(record, hide_names)
        times = counts.pop(told, 0)  # again at the end: the order is that of the latest
        counts[told] = times + 1
    lines = [f"{times} x {told}" for told, times in counts.items()]
    return tuple(lines[-MOST_FAILURES:])


def _failed(record: CandidateRecord) -> bool:
    """Whether a program failed; where the model gave no answer, none did."""
    if not record.accepted:
        return bool(record.completion)
    return bool(record.faults) and not record.fit


def _told(record: CandidateRecord, hide_names: bool) -> str:
    if not record.accepted:
        return _short(f"refused: {told_reason(record, hide_names=hide_names)}")
    kinds = ", ".join(sorted(record.faults))
    ends = [own_frames(text).strip().split("\n")[-1] for text in record.tracebacks[:1]]
    about = program_summary(record.source) if record.source else None
    parts = [f"faults ({kinds})", *ends, *([f"the program: {about}"] if about else [])]
    return _short("; ".join(parts))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_FAILURE else f"{line[:LONGEST_FAILURE]} ..."
