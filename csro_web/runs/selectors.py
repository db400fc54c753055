"""What the run pages read, and in how many queries, whatever else is in the database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from csro_web.accounts.ownership import Somebody, visible
from csro_web.pages.keys import wanted_text
from csro_web.runs.models import Iteration, Run, RunState

RUNS_PER_PAGE = 25


@dataclass(frozen=True)
class RunFilter:
    """What the list is narrowed to; empty strings narrow nothing."""

    game: str = ""
    oracle: str = ""
    state: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> RunFilter:
        """Out of a query string; an unknown state narrows nothing, so no link breaks the page."""
        state = query.get("state", "")
        return cls(
            game=wanted_text(query.get("game", ""), 40),
            oracle=wanted_text(query.get("oracle", ""), 40),
            state=state if state in RunState.values else "",
        )

    def apply(self, runs: QuerySet[Run]) -> QuerySet[Run]:
        chosen = {key: value for key, value in vars(self).items() if value}
        return runs.filter(**chosen)


def list_runs(narrow: RunFilter, page_number: str | None, user: Somebody) -> Page[Run]:
    """One page of the runs that ``user`` may see, newest first, each with ``best_gain`` (an
    Iteration or None). 3 queries."""
    found = visible(Run.objects.select_related("launched_by", "team"), user, path="")
    runs = narrow.apply(found).defer(
        "config", "held_out", "final_sigma", "final_sigma_low", "final_sigma_high"
    )
    page = Paginator(runs, RUNS_PER_PAGE).get_page(page_number)
    best = best_gains(run.pk for run in page)
    for run in page:
        run.best_gain = best.get(run.pk)  # type: ignore[attr-defined]
    return page


def best_gains(run_ids: Iterable[int]) -> dict[int, Iteration]:
    """The iteration with the largest gain, by run. 1 query."""
    found: dict[int, Iteration] = {}
    iterations = Iteration.objects.filter(run_id__in=list(run_ids), gain_mean__isnull=False).only(
        "run_id", "index", "gain_mean", "gain_low", "gain_high"
    )
    for iteration in iterations:
        known = found.get(iteration.run_id)
        if known is None or iteration.gain_mean > known.gain_mean:
            found[iteration.run_id] = iteration
    return found


def filter_choices(user: Somebody) -> dict[str, list[str]]:
    """The games and oracles of the runs that ``user`` may see. 2 queries."""
    return {field: _choices(field, user) for field in ("game", "oracle")}


def games_of(user: Somebody) -> list[str]:
    """The games of the runs that ``user`` may see. 1 query."""
    return _choices("game", user)


def _choices(field: str, user: Somebody) -> list[str]:
    runs = visible(Run.objects.order_by(field), user, path="")
    return list(runs.values_list(field, flat=True).distinct())
