"""One letter a published review and person, sent by a worker after the review is committed."""

from __future__ import annotations

import smtplib
from collections.abc import Iterable
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse

from csro_web.accounts.models import User
from csro_web.jobs.kinds import JobLater, JobRefused
from csro_web.jobs.services import enqueue
from csro_web.reviews.models import Comment, InboxItem, MailChoice, Review
from csro_web.reviews.sight import who_may_see
from oracles.text import one_line, quoted

KIND = "review letter"
MOST_ATTEMPTS = 10
LONGEST_WAIT_SECONDS = 6 * 3600
LONGEST_SHOWN = 2_000
"""Characters of one comment in a letter; the rest is on the page."""
MOST_COMMENTS = 50


def ask_for_letters(review: Review, people: Iterable[User]) -> None:
    """Have everybody told who wants letters; call within the transaction that publishes."""
    if not settings.MAIL_ON:
        return
    found = list(people)
    unwanted = set(
        MailChoice.objects.filter(person__in=found, wanted=False).values_list("person", flat=True)
    )
    for person in found:
        if person.email and person.pk not in unwanted:
            inputs = {"review": review.pk, "person": person.pk}
            enqueue(KIND, inputs=inputs, asked_by=None, run=review.policy.run)


def send(review_id: int, person_id: int, *, attempt: int) -> str:
    """Hand the letter to the mail server; what became of it, in words.

    Whether the person may still see the run and wants letters is asked at this moment.

    Raises:
        JobLater: when the server cannot be reached or is busy; the waits double.
        JobRefused: when it will never take the letter.
    """
    review = Review.objects.select_related("policy__run", "author").get(pk=review_id)
    person = who_may_see(review.policy.run, [person_id]).get(person_id)
    if person is None or not person.email:
        return "not sent: the person is switched off, may not see the run, or has no address"
    if MailChoice.objects.filter(person=person, wanted=False).exists():
        return "not sent: the person wants no letters"
    if not settings.MAIL_ON:
        return "not sent: no mail server is set up"
    try:
        letter(review, person).send()
    except smtplib.SMTPRecipientsRefused as error:
        codes = [code for code, _ in error.recipients.values()]
        if all(code >= 500 for code in codes):
            raise JobRefused(f"the mail server refuses the recipient ({codes[0]})") from error
        raise _later(f"the mail server defers the recipient ({codes[0]})", attempt) from error
    except smtplib.SMTPResponseException as error:
        words = f"the mail server answered {error.smtp_code}"
        if error.smtp_code >= 500 and not isinstance(error, smtplib.SMTPConnectError):
            raise JobRefused(f"{words}: look at CSRO_EMAIL_URL and CSRO_EMAIL_FROM") from error
        raise _later(words, attempt) from error
    except (OSError, smtplib.SMTPException) as error:
        raise _later(f"the mail server: {type(error).__name__}", attempt) from error
    return "sent"


def _later(words: str, attempt: int) -> Exception:
    if attempt >= MOST_ATTEMPTS:
        return JobRefused(f"{words}; given up after {attempt} attempts")
    return JobLater(words, seconds=min(LONGEST_WAIT_SECONDS, 30 * 2 ** (attempt - 1)))


def letter(review: Review, person: User) -> EmailMessage:
    """Plain text; headers hold no line feed, whatever people and models wrote.

    A letter that is sent twice (a worker was killed between sending and saving) has the same
    Message-ID, by which mail programs show it once.
    """
    policy = review.policy
    items = InboxItem.objects.filter(review=review, person=person)
    because = sorted({str(item.get_kind_display()) for item in items})
    comments = list(
        Comment.objects.filter(review=review).select_related("thread")[: MOST_COMMENTS + 1]
    )
    context = {
        "review": review,
        "author": shown(review.author.get_username()),
        "policy": shown(policy.name),
        "run": shown(str(policy.run)),
        "because": because,
        "body": text(review.body),
        "comments": [(one, text(one.body), text(one.thread.quote, 400)) for one in comments],
        "address": settings.BASE_URL + reverse("review", args=[review.pk]),
        "inbox": settings.BASE_URL + reverse("inbox"),
    }
    host = urlsplit(settings.BASE_URL).hostname or "localhost"
    return EmailMessage(
        subject=f"[CSRO] {context['author']}: {context['policy']} ({context['run']})",
        body=render_to_string("reviews/letter.txt", context),
        to=[person.email],
        headers={
            "Message-ID": f"<review-{review.pk}-{person.pk}@{host}>",
            "Auto-Submitted": "auto-generated",
        },
    )


def shown(name: str) -> str:
    """A name fit for a header: one short line, hidden characters by their code."""
    return one_line(name, 80)


def text(body: str, longest: int = LONGEST_SHOWN) -> str:
    """Somebody's words, quoted: no terminal or text control survives, every line is marked."""
    visible = quoted(body[:longest]).split("\n")
    if len(body) > longest:
        visible.append("… (the rest is on the page)")
    return "\n".join(f"> {line}" for line in visible)
