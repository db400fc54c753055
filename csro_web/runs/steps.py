"""From what is known of a run to the steps that can be done now."""

from __future__ import annotations

from django.db.models import Max

from csro_web.runs import known, projections
from csro_web.runs.models import Run, Step, StepState
from oracles import loop
from oracles.config import RunConfig, WriterName
from oracles.state import RunState as Known
from oracles.steps import StepKind, StepResult, StepSpec


def known_results(run_id: int) -> dict[str, StepResult]:
    """Results of all steps that are done, by key, in the order the loop asked for them."""
    return known.results(run_id)


def known_state(run: Run) -> Known:
    """What the saved results say about the run."""
    return known.state(run, RunConfig.from_json(run.config))[0]


def plan(run: Run, config: RunConfig) -> None:
    """First steps and first projections of a run that has no result yet (inside a transaction)."""
    state = loop.fold(config, {})
    projections.save(run, before=None, after=state)
    add_steps(run.pk, state)


def add_steps(run_id: int, state: Known) -> None:
    """A row for every step that can be done now and has none; doing it twice changes nothing."""
    keys = [spec.key for spec in state.pending]
    there = set(Step.objects.filter(run_id=run_id, key__in=keys).values_list("key", flat=True))
    last = Step.objects.filter(run_id=run_id).aggregate(last=Max("order"))["last"]
    first = 0 if last is None else last + 1
    new = [spec for spec in state.pending if spec.key not in there]
    by_people = bool(new) and Run.objects.filter(pk=run_id, writer=WriterName.MANUAL).exists()
    Step.objects.bulk_create(
        _row(run_id, first + i, spec, by_people=by_people) for i, spec in enumerate(new)
    )


def _row(run_id: int, order: int, spec: StepSpec, *, by_people: bool) -> Step:
    """What people write waits for them; no worker can claim it."""
    waits = by_people and spec.kind is StepKind.WRITE
    return Step(
        state=StepState.WAITING if waits else StepState.READY,
        run_id=run_id,
        key=spec.key,
        kind=str(spec.kind),
        label=spec.label[:200],
        inputs=dict(spec.inputs),
        order=order,
    )
