"""Real runs of about ten short steps, and programs to change their populations with."""

from __future__ import annotations

from csro_web.policies.models import Policy
from csro_web.runs import services, steps
from csro_web.runs.models import Run, StepState
from csro_web.runs.worker import Worker
from csro_web.solving import drive
from oracles.config import RunConfig
from oracles.loop import fold
from tests.work.place import TINY

CALLER = '''class Policy:
    """Always calls."""

    def act(self, obs):
        return 1
'''
RAISER = CALLER.replace("calls", "raises").replace("return 1", "return max(obs['legal_actions'])")
FAULTY = CALLER.replace("return 1", "return 1 // 0")


def launch(**changed: object) -> Run:
    return services.create_run(config=RunConfig.from_json({**TINY, **changed}), announce=False)


def finish(run: Run, worker: Worker) -> Run:
    return drive.work_on(run.pk, worker, lambda *_: None)


def work_until(run: Run, worker: Worker, key: str) -> None:
    """Does steps in order until the one of that key is there to be done."""
    while not run.steps.filter(key=key).exists():
        step = run.steps.filter(state=StepState.READY).order_by("order").first()
        assert step is not None
        worker.perform(step.pk)


def member(run: Run, index: int) -> Policy:
    return Policy.objects.select_related("run").get(run=run, index=index)


def is_what_its_results_say(run: Run) -> None:
    """Rows are projections of the fold over the saved results, and no result was counted twice."""
    run.refresh_from_db()
    results = steps.known_results(run.pk)
    assert run.folded == len(results) == run.steps.filter(state=StepState.DONE).count()
    state = fold(RunConfig.from_json(run.config), results)
    assert [(p.index, p.name, p.withdrawn_by) for p in state.population] == list(
        run.policies.values_list("index", "name", "withdrawn_by")
    )
    assert run.cells.count() == len(state.cells)
    assert run.final_sigma == (None if state.final_sigma is None else list(state.final_sigma))
    assert [str(c.outcome) for c in state.changes] == list(
        run.changes.values_list("outcome", flat=True)
    )
