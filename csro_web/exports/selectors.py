"""What the pages of exports read, in a bounded number of queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from csro_web.accounts.models import User
from csro_web.accounts.ownership import visible
from csro_web.approvals.selectors import approved
from csro_web.bundles.solving import cell_records, mixture_rows
from csro_web.exports.choosing import Choice
from csro_web.exports.models import Export
from csro_web.exports.played import MatchBook, cell_rows
from csro_web.pages.keys import row_number
from csro_web.runs.models import Run
from games.metagame import MetaGameError
from games.tournament import derive_seed
from oracles.config import RunConfig

EXPORTS_PER_PAGE = 50
MOST_SOLVED_ON_A_PAGE = 40
"""Members of a population whose mixture a page solves while somebody waits."""


@dataclass(frozen=True)
class ExportFilter:
    run: int | None
    kind: str
    """``approved``, ``draft``, or empty for both."""

    @classmethod
    def from_query(cls, given: Mapping[str, Any]) -> Self:
        kind = str(given.get("kind", ""))
        return cls(
            row_number(str(given.get("run", ""))), kind if kind in ("approved", "draft") else ""
        )


def list_exports(narrow: ExportFilter, page_number: str | None, user: User) -> Page[Export]:
    """One page of the exports that ``user`` may see, newest first. 2 queries."""
    found = visible(_with_all(), user)
    if narrow.run is not None:
        found = found.filter(run_id=narrow.run)
    if narrow.kind:
        found = found.filter(draft=narrow.kind == "draft")
    return Paginator(found, EXPORTS_PER_PAGE).get_page(page_number)


def _with_all() -> QuerySet[Export]:
    return (
        Export.objects.select_related("run", "policy", "asked_by", "job", "file", "deleted_by")
        .defer("file__data", "policy__source", "summary", "run__config")
        .order_by("-asked_at", "-id")
    )


def no_longer_approved(export: Export) -> list[str]:
    """Names of policies that were approved when the file was made and are not now. 1 query."""
    held = [one for one in (export.summary or {}).get("policies", ()) if one["approved"]]
    if not held:
        return []
    still = {policy.index for policy in approved(export.run)}
    return [one["name"] for one in held if one["index"] not in still]


def cost_of(choice: Choice) -> dict[str, Any] | None:
    """``mixture`` of the manifest that this export would have; None where it is not solved here.

    Remembered by the run's state and the choice. At most 1 query.
    """
    small = len(choice.places) <= MOST_SOLVED_ON_A_PAGE
    if not (choice.included and choice.is_solvable and small):
        return None
    included = tuple(place.policy.index for place in choice.included)
    active = tuple(place.policy.index for place in choice.places if place.active)
    return _cost(choice.run.pk, choice.run.change, included, active)


@lru_cache(maxsize=64)
def _cost(
    run_id: int, _change: int, included: tuple[int, ...], active: tuple[int, ...]
) -> dict[str, Any] | None:
    run = Run.objects.get(pk=run_id)
    config = RunConfig.from_json(run.config)
    book, members = MatchBook(), list(run.policies.order_by("index"))
    cells = cell_rows(run, members, book)
    try:
        return mixture_rows(
            cell_records(cells, book.samples()),
            size=len(members),
            active=active,
            keep=included,
            solver=str(config.evaluation_solver),
            seed=derive_seed(config.seed, "export/solve"),
        )
    except MetaGameError:
        return None  # the export itself says why
