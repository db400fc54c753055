"""The list of what waits for approvers, in a bounded number of queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, Q, QuerySet

from csro_web.accounts.models import User
from csro_web.accounts.ownership import visible
from csro_web.approvals.conditions import conditions
from csro_web.approvals.facts import Facts, gather
from csro_web.approvals.models import Reevaluation
from csro_web.approvals.page import missing_in_words
from csro_web.approvals.states import State
from csro_web.changes.parts import without_part
from csro_web.pages.keys import wanted_text
from csro_web.policies.models import Origin, Policy
from csro_web.runs.models import ENDED

POLICIES_PER_PAGE = 20

SHOWS = {
    "decide": "waits for a decision",
    "evaluate": "not re-evaluated yet",
    "in_review": "in review",
    "changes_requested": "changes requested",
    "approved": "approved",
    "rejected": "rejected",
    "all": "everything",
}


@dataclass(frozen=True)
class Narrow:
    """What the list is narrowed to. ``mine``: only where the person had no part."""

    show: str = "decide"
    game: str = ""
    mine: bool = False

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Narrow:
        """Out of a query string; what is unknown narrows nothing, so no link breaks the page."""
        show = query.get("show", "")
        return cls(
            show=show if show in SHOWS else "decide",
            game=wanted_text(query.get("game", ""), 40),
            mine=query.get("mine") == "1",
        )


@dataclass(frozen=True)
class Row:
    """``missing``: what is, for anybody, in one line; ``not_you``: why not this person."""

    facts: Facts
    missing: str
    not_you: str


def list_waiting(
    narrow: Narrow, person: User, page_number: str | None
) -> tuple[Page[Policy], list[Row]]:
    """One page of policies, newest first. About 12 queries, and a few for each row."""
    page = Paginator(_chosen(narrow, person), POLICIES_PER_PAGE).get_page(page_number)
    rows = [_row(facts, person) for facts in gather(list(page))]
    return page, rows


def _row(facts: Facts, person: User) -> Row:
    own = [one.why for one in conditions(facts, person) if one.personal and not one.met]
    return Row(facts, missing_in_words(facts, person), " ".join(own))


def _chosen(narrow: Narrow, person: User) -> QuerySet[Policy]:
    readable = Policy.objects.exclude(origin__in=(Origin.BOT, Origin.TRAINED))
    found = visible(readable.filter(withdrawn_by=None), person)
    if narrow.game:
        found = found.filter(run__game=narrow.game)
    if narrow.show in State.values:
        found = found.filter(standing__state=narrow.show)
    elif narrow.show != "all":
        found = found.filter(_UNDECIDED, run__state__in=ENDED)
        has_result = Exists(_RESULT)
        found = found.filter(has_result if narrow.show == "decide" else ~has_result)
    found = found.select_related("run", "candidate__run").order_by("-pk")
    return without_part(found, person) if narrow.mine else found


_UNDECIDED = Q(standing=None) | Q(standing__state__in=(State.UNREVIEWED, State.IN_REVIEW))
_RESULT = Reevaluation.objects.filter(
    policy=OuterRef("pk"), sha256=OuterRef("sha256"), found__isnull=False
)
