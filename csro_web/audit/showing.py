"""A row of the trail in the words and links of its page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.urls import NoReverseMatch, reverse

from csro_web.audit.actions import MEANING
from csro_web.audit.verification import Row

PAGES: Mapping[str, tuple[str, str]] = {
    "runs.run": ("run", "run_id"),
    "runs.runset": ("set", "set_id"),
    "runs.step": ("request", "step_id"),
    "policies.policy": ("policy", "policy_id"),
    "calls.modelcall": ("call", "call_id"),
    "reviews.review": ("review", "review_id"),
    "reviews.thread": ("thread", "thread_id"),
    "changes.change": ("change", "change_id"),
    "changes.trial": ("trial", "trial_id"),
    "exports.export": ("export", "export_id"),
}
"""Kind of subject -> its page and the name of its argument."""


@dataclass(frozen=True)
class Shown:
    row: Row
    at: datetime | None
    meaning: str
    url: str
    """Of the subject's page; empty when there is none."""
    detail: tuple[tuple[str, str], ...]


def shown(rows: Iterable[Row]) -> Iterator[Shown]:
    for row in rows:
        fields = row.fields
        detail = fields.get("detail")
        yield Shown(
            row,
            at=None if row.problem else datetime.fromisoformat(fields["at"]),
            meaning=MEANING.get(str(fields.get("action")), ""),
            url="" if row.problem else _url(fields["subject_type"], fields["subject_id"]),
            detail=tuple(_pairs(detail)) if isinstance(detail, dict) else (("", str(detail)),),
        )


def _pairs(detail: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in detail.items():
        yield name, value if isinstance(value, str) else json.dumps(value)


def _url(kind: str, key: str) -> str:
    if kind not in PAGES:
        return ""
    name, argument = PAGES[kind]
    try:
        return reverse(name, kwargs={argument: key})
    except NoReverseMatch:
        return ""
