"""The background work of reviews: letters."""

from __future__ import annotations

from csro_web.jobs.kinds import Result, Surroundings, handles
from csro_web.jobs.models import Job
from csro_web.reviews import mail


@handles(mail.KIND, words="a letter")
def send_letter(job: Job, surroundings: Surroundings) -> Result:
    """Inputs: ``review`` and ``person``, keys of rows. Result: what became of the letter."""
    review, person = job.inputs["review"], job.inputs["person"]
    return {"outcome": mail.send(review, person, attempt=job.attempts)}
