"""What a Celery message asks for. A message is a hint; the claim in the database decides."""

from __future__ import annotations

from csro_web.celery import app


@app.task(name="csro.work_on_step", acks_late=False, ignore_result=True)
def work_on_step(step_id: int) -> str:
    """Do the step if it is still to be had; first the jobs that people are waiting for."""
    from csro_web.jobs import work
    from csro_web.runs import worker

    mine = worker.current()
    work.perform_waiting(mine)
    return mine.perform(step_id).name
