"""What a Celery message asks for. A message is a hint; the row in the database decides."""

from __future__ import annotations

from csro_web.celery import app


@app.task(name="csro.resend_call", acks_late=False, ignore_result=True)
def resend_call(resend_id: int) -> bool:
    """Send a recorded call once more, if nobody else does."""
    from csro_web.calls import resending
    from csro_web.runs import worker

    return resending.perform(resend_id, lambda: worker.current().stopping)
