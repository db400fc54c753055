"""What a Celery message asks for. A message is a hint; the claim in the database decides."""

from __future__ import annotations

from csro_web.celery import app


@app.task(name="csro.work_on_step", acks_late=False, ignore_result=True)
def work_on_step(step_id: int) -> str:
    """Do the step if it is still to be had; first the jobs that people are waiting for.

    What follows from a change of theirs goes before long jobs, as short ones do.
    """
    from csro_web.jobs import work
    from csro_web.runs import worker
    from csro_web.runs.models import Step

    mine = worker.current()
    searching = Step.objects.filter(pk=step_id, run__ended_at=None).exists()
    work.perform_waiting(mine, long_too=searching)
    return mine.perform(step_id).name
