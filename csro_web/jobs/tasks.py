"""What a Celery message asks for. A message is a hint; the row in the database decides."""

from __future__ import annotations

from csro_web.celery import app


@app.task(name="csro.work_on_job", acks_late=False, ignore_result=True)
def work_on_job(job_id: int) -> str:
    """Do a job: the one whose turn it is, which need not be the one that the message names."""
    from csro_web.jobs import work
    from csro_web.runs import worker

    return work.perform_next(worker.current()).name
