"""What this process has read of runs already: results of steps never change once they are saved.

Reading and folding hundreds of results after each step would cost more than many of the steps. The
database stays the record: which steps are done is asked each time, and only what is new is read.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from csro_web.runs.models import Run, Step, StepState
from oracles import loop
from oracles.config import RunConfig
from oracles.state import RunState
from oracles.steps import StepResult

RUNS_REMEMBERED = 4
FEW = 500
"""Results that are asked for one by one; more are read with all others of their run."""

_Mark = tuple[int, str, datetime | None]
"""Number, key and end of a step that is done: another database's step differs in one of them."""


@dataclass
class _Memory:
    results: dict[_Mark, StepResult] = field(default_factory=dict)
    folded: tuple[RunConfig, tuple[_Mark, ...]] | None = None
    """What ``state`` is the fold of."""
    state: RunState | None = None


_memories: OrderedDict[int, _Memory] = OrderedDict()
_lock = Lock()


def results(run_id: int) -> dict[str, StepResult]:
    """Results of all steps that are done, by key, in the order the loop asked for them."""
    return _read(run_id)[1]


def state(run: Run, config: RunConfig) -> tuple[RunState, dict[str, StepResult]]:
    """What the saved results say about the run, and these results by step key."""
    marks, found = _read(run.pk)
    with _lock:
        memory = _memories.get(run.pk)
        if memory is not None and memory.state is not None and memory.folded == (config, marks):
            return memory.state, found
    known = loop.fold(config, found)
    with _lock:
        memory = _memories.setdefault(run.pk, _Memory())
        memory.folded, memory.state = (config, marks), known
    return known, found


def _read(run_id: int) -> tuple[tuple[_Mark, ...], dict[str, StepResult]]:
    done = Step.objects.filter(run_id=run_id, state=StepState.DONE).order_by("order")
    marks = tuple(done.values_list("pk", "key", "ended_at"))
    with _lock:
        memory = _memories.setdefault(run_id, _Memory())
        _memories.move_to_end(run_id)
        while len(_memories) > RUNS_REMEMBERED:
            _memories.popitem(last=False)
        have = {mark: memory.results[mark] for mark in marks if mark in memory.results}
    missing = [mark for mark in marks if mark not in have]
    if missing:
        have.update(_from_database(run_id, missing))
    with _lock:
        memory.results = {mark: have[mark] for mark in marks if mark[2] is not None}
    return marks, {mark[1]: have[mark] for mark in marks}


def _from_database(run_id: int, missing: list[_Mark]) -> dict[_Mark, StepResult]:
    wanted = Step.objects.filter(run_id=run_id, state=StepState.DONE)
    if len(missing) < FEW:
        wanted = wanted.filter(pk__in=[pk for pk, _, _ in missing])
    found = dict(wanted.values_list("pk", "result"))
    return {mark: found[mark[0]] for mark in missing}
