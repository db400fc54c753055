"""Sets of runs: launched together, and compared by condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F

from csro_web.accounts.models import Team, User
from csro_web.accounts.ownership import Somebody, visible
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.changes.selectors import changed_in_search
from csro_web.runs import comparison, queue, services
from csro_web.runs.models import Run, RunSet
from csro_web.runs.prepared import IN_WORDS, Planned, PreparedSet


def create_set(
    which: PreparedSet,
    planned: Sequence[Planned],
    *,
    launched_by: User | None = None,
    team: Team | None = None,
    name: str = "",
    announce: bool = True,
    from_terminal: bool = False,
) -> RunSet:
    """All runs of the set, or none; ``team``, ``announce`` and ``from_terminal`` as of
    ``create_run``.

    Raises:
        ConfigError: when a run of the set cannot begin.
    """
    with transaction.atomic():
        run_set = RunSet(prepared=str(which), words=name or IN_WORDS[which], created_by=launched_by)
        run_set.full_clean()
        run_set.save()
        made: list[int] = []
        for one in planned:
            run = services.create_run(
                config=one.config,
                launched_by=launched_by,
                team=team,
                name=f"{one.condition}, seed {one.config.seed}",
                announce=False,
                from_terminal=from_terminal,
            )
            Run.objects.filter(pk=run.pk).update(set=run_set, condition=one.condition)
            made.append(run.pk)
        record(
            Action.SET_LAUNCHED,
            actor=launched_by,
            subject=run_set,
            detail={
                "prepared": str(which),
                "runs": made,
                **services.from_where(from_terminal),
            },
        )
    if announce:
        queue.send_ready()
    return run_set


@dataclass(frozen=True)
class Condition:
    """The runs of one condition, and what those that have been evaluated found."""

    name: str
    runs: tuple[Run, ...]
    scores: tuple[comparison.Score, ...]
    counted: int
    """Runs with held-out scores; the others go on, failed, or were cancelled."""


@dataclass(frozen=True)
class SetReport:
    conditions: tuple[Condition, ...]
    ended: bool

    @property
    def change(self) -> str:
        """Differs when anything on the page could differ."""
        return "-".join(str(run.change) for one in self.conditions for run in one.runs)


def report(run_set: RunSet, user: Somebody) -> SetReport:
    """Of those runs of the set that ``user`` may see. 1 query. Looking at held-out scores is
    counted by :func:`count_looks`.
    """
    rows = run_set.runs.annotate(is_changed=changed_in_search())
    mine = visible(rows.order_by("pk"), user, path="")
    runs = list(mine.defer("final_sigma", "exact"))
    names = dict.fromkeys(run.condition for run in runs)
    conditions = tuple(
        _condition(name, [run for run in runs if run.condition == name]) for name in names
    )
    return SetReport(conditions, all(run.has_ended for run in runs))


def _condition(name: str, runs: Sequence[Run]) -> Condition:
    """Runs that people changed in their search count for no condition."""
    evaluated = [
        run.held_out
        for run in runs
        if run.search_is_over and run.held_out and not run.is_changed  # type: ignore[attr-defined]
    ]
    found = comparison.scores(evaluated, game=runs[0].game)
    return Condition(name, tuple(runs), tuple(found), len(evaluated))


def count_looks(runs: Sequence[Run]) -> None:
    """Somebody has seen what these runs scored on the held-out opponents."""
    seen = [run.pk for run in runs if run.search_is_over and run.held_out]
    Run.objects.filter(pk__in=seen).update(held_out_looks=F("held_out_looks") + 1)
