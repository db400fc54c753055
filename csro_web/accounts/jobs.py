"""The background work of accounts: letters."""

from __future__ import annotations

from csro_web.accounts import letters
from csro_web.jobs.kinds import Result, Surroundings, handles
from csro_web.jobs.models import Job


@handles(letters.KIND, words="a letter")
def send_letter(job: Job, surroundings: Surroundings) -> Result:
    """Inputs: :func:`csro_web.accounts.letters.tell_old_address`. Result: what became of it."""
    return {"outcome": letters.send(job)}
