"""Adding one result to what is known of a run, while others may be doing the same.

What follows from a result is computed outside any transaction, from the results read before. The
transaction that saves it goes through only if no other result of the run was saved since: the
run's count of results, raised by one conditional UPDATE, decides. Otherwise all is undone and tried
again on what is known then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

from django.db.models import F

from csro_web.runs import effects, known, projections, steps
from csro_web.runs.leases import WORKABLE
from csro_web.runs.models import Run, RunState
from oracles import loop
from oracles.config import RunConfig
from oracles.state import RunState as Known
from oracles.steps import StepResult

SAVABLE = (*WORKABLE, RunState.PAUSED)
TRIES = 1000
"""Each one that fails means that another result of the run was saved, so few are ever needed."""
PAUSE_SECONDS = 0.01


T = TypeVar("T")


class MovedOn(Exception):
    """Another result of the run was saved since its results were read: all is undone."""


class Over(Exception):
    """The run takes no results any more: all is undone."""


def until_it_counts(run_id: int, attempt: Callable[[], T]) -> T:
    """What ``attempt`` answers as soon as it does not raise :class:`MovedOn`."""
    for _ in range(TRIES):
        try:
            return attempt()
        except MovedOn:
            time.sleep(PAUSE_SECONDS)
    raise RuntimeError(f"the results of run {run_id} do not agree with its count of them")


@dataclass(frozen=True)
class Moment:
    """A run as it is known, with every result that its count says."""

    run: Run
    config: RunConfig
    known: Known
    results: Mapping[str, StepResult]

    @classmethod
    def of(cls, run: Run) -> Self:
        """Read it.

        Raises:
            MovedOn: when a result was saved between the reading of the run and of its results.
        """
        config = RunConfig.from_json(run.config)
        state, results = known.state(run, config)
        if len(results) != run.folded:
            raise MovedOn
        return cls(run, config, state, results)

    def with_result(self, key: str, result: StepResult) -> Next:
        after = loop.fold(self.config, {**self.results, key: result})
        return Next(self, after, effects.between(self.known, after))


@dataclass(frozen=True)
class Next:
    """What is known of the run with one result more; to be saved in one transaction."""

    moment: Moment
    state: Known
    changed: Sequence[effects.Changed]

    def count(self, allowed: Collection[RunState]) -> None:
        """Take the place of the next result, if the run is still as it was read.

        Raises:
            MovedOn: when another result was saved since.
            Over: when the state of the run is none of those ``allowed``.
        """
        run = self.moment.run
        open_still = Run.objects.filter(pk=run.pk, state__in=allowed)
        if not open_still.filter(folded=run.folded).update(folded=F("folded") + 1):
            raise MovedOn if open_still.exists() else Over

    def save(self) -> None:
        """Write the rows that follow, and the steps that can be done now."""
        run = self.moment.run
        projections.save(run, before=self.moment.known, after=self.state, changed=self.changed)
        steps.add_steps(run.pk, self.state)
