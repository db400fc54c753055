"""What the page of a change says: who, why, and what it did to the equilibrium and for whom."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from csro_web.accounts.ownership import Somebody, visible
from csro_web.changes.models import Change, Outcome
from csro_web.policies.models import Policy
from csro_web.runs.catalogue import facts_of
from csro_web.runs.charts import conditions
from csro_web.runs.comparison import Figure
from csro_web.runs.models import Cell, Run, RunState, StepState

MEMBERS_SHOWN = 24
"""Of the members, those whose weight or payoff moved most; the table behind has all of them."""
SAME = 1e-6
"""A weight that moved by less has not moved: it is the rounding of the solver."""


@dataclass(frozen=True)
class Bar:
    """A weight as it is drawn."""

    value: float
    low: float | None
    high: float | None
    css: str


@dataclass(frozen=True)
class Row:
    """A member before and after the change. Figures are ``{"mean", "low", "high", "episodes"}``."""

    policy: Policy
    before: Bar | None
    """None: it was no member yet."""
    after: Bar
    payoff_before: Mapping[str, Any]
    payoff_after: Mapping[str, Any]
    difference: Mapping[str, Any]
    is_out: bool
    """Whether it was withdrawn by this change or an earlier one, and still is."""

    @property
    def moved(self) -> float:
        """How much its weight moved."""
        return abs(self.after.value - (self.before.value if self.before else 0.0))


def page_context(change: Change, user: Somebody) -> dict[str, Any]:
    """Everything the page shows, in at most 7 queries."""
    run = change.run
    rows = member_rows(change)
    moved = sorted(rows, key=lambda row: (-row.moved, -row.after.value, row.policy.index))
    return {
        "change": change,
        "run": run,
        "parent": _parent(change, user),
        "facts": facts_of(run),
        "rows": rows,
        "shown": moved[:MEMBERS_SHOWN],
        "left_out": max(0, len(rows) - MEMBERS_SHOWN),
        "same": all(row.moved < SAME for row in rows),
        "chart": difference_chart(rows),
        "played": played_row(change),
        "is_live": is_live(change),
        **steps_of(change),
    }


def _parent(change: Change, user: Somebody) -> Policy | None:
    """What it was edited from, unless that is in a run that the person may not see."""
    if change.parent_id is None:
        return None
    found = Policy.objects.select_related("run").defer("source")
    return visible(found.filter(pk=change.parent_id), user).first()


def is_live(change: Change) -> bool:
    """Whether more will be known of it by itself."""
    return not change.is_settled and change.run.state not in (RunState.CANCELLED, RunState.FAILED)


def steps_of(change: Change) -> dict[str, int]:
    """How many of its steps are done, of those that were asked for so far. 1 query."""
    states = list(
        change.run.steps.filter(key__startswith=f"change/{change.number}/").values_list(
            "state", flat=True
        )
    )
    return {"steps": len(states), "steps_done": states.count(StepState.DONE)}


def member_rows(change: Change) -> list[Row]:
    """All members with what the change did for them; empty while that is unknown. 1 query."""
    if change.effect is None:
        return []
    policies = {one.index: one for one in change.run.policies.defer("source")}
    return [
        Row(
            policies[shift["policy"]],
            None
            if shift["weight_before"] is None
            else Bar(
                shift["weight_before"], shift["low_before"], shift["high_before"], "series-rest"
            ),
            Bar(shift["weight_after"], shift["low_after"], shift["high_after"], "series-0"),
            shift["payoff_before"],
            shift["payoff_after"],
            shift["difference"],
            (policies[shift["policy"]].withdrawn_by or math.inf) <= change.number,
        )
        for shift in change.effect["shifts"]
        if shift["policy"] in policies
    ]


def difference_chart(rows: list[Row]) -> conditions.ConditionChart | None:
    """Who gains and who loses, the largest differences first."""
    largest = sorted(rows, key=lambda row: -abs(row.difference["mean"]))[:MEMBERS_SHOWN]
    return conditions.draw(
        [
            (
                row.policy.name,
                Figure(row.difference["mean"], row.difference["low"], row.difference["high"]),
            )
            for row in sorted(largest, key=lambda row: -row.difference["mean"])
        ]
    )


def played_row(change: Change) -> list[Cell]:
    """The row that was played for a commit that joined, with seeds. 1 query."""
    if not change.is_commit or change.policy is None or change.outcome != Outcome.JOINED:
        return []
    cells = Cell.objects.filter(run_id=change.run_id, row=change.policy.index)
    names = dict(Policy.objects.filter(run_id=change.run_id).values_list("index", "name"))
    found = list(cells.select_related("match").defer("match__result").order_by("column"))
    own = [cell for cell in found if cell.column < change.policy.index]
    for cell in own:
        cell.opponent = names.get(cell.column, "unknown")  # type: ignore[attr-defined]
    return own


def run_note(run: Run) -> str:
    """Where a change that is made now takes effect, in words."""
    if run.search_is_over:
        return (
            "The search of this run is over. The mixture is solved anew and becomes the newest"
            " final mixture; the held-out scores stay those of the mixture that the search ended"
            " with."
        )
    return (
        "This run goes on. What was asked for until now is finished with the population as it was;"
        " the next mixture that is asked for knows the change."
    )
