"""Letters about a person's own account, which nobody can switch off."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils import timezone

from csro_web.accounts.models import User
from csro_web.jobs.models import Job
from csro_web.jobs.services import enqueue
from csro_web.letters import hand_over
from oracles.text import one_line

KIND = "address letter"


def tell_old_address(person: User, address: str, *, actor: User) -> bool:
    """Have the old address told that it is one no more; whether a letter will be sent. Call within
    the transaction that changes it."""
    if not (settings.MAIL_ON and address):
        return False
    inputs = {
        "person": person.pk,
        "address": address,
        "by_owner": actor.pk == person.pk,
        "at": timezone.now().isoformat(timespec="minutes"),
    }
    enqueue(KIND, inputs=inputs, asked_by=None)
    return True


def send(job: Job) -> str:
    """Hand the letter of this job over; what became of it, in words.

    Raises:
        JobLater, JobRefused: as :func:`csro_web.letters.hand_over`.
    """
    if not settings.MAIL_ON:
        return "not sent: no mail server is set up"
    hand_over(_letter(job), attempt=job.attempts)
    return "sent"


def _letter(job: Job) -> EmailMessage:
    """It does not name the new address: the old one may have been somebody else's by mistake."""
    context = {
        "name": one_line(User.objects.get(pk=job.inputs["person"]).get_username(), 80),
        "by_owner": job.inputs["by_owner"],
        "at": job.inputs["at"],
        "site": settings.BASE_URL,
    }
    host = urlsplit(settings.BASE_URL).hostname or "localhost"
    return EmailMessage(
        subject="[CSRO] Your e-mail address was changed",
        body=render_to_string("accounts/address_letter.txt", context),
        to=[job.inputs["address"]],
        headers={"Message-ID": f"<job-{job.pk}@{host}>", "Auto-Submitted": "auto-generated"},
    )
