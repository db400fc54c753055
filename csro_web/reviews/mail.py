"""One letter a published review and person, sent by a worker after the review is committed."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse

from csro_web.accounts.models import User
from csro_web.jobs.services import enqueue
from csro_web.letters import hand_over
from csro_web.policies.programs import title
from csro_web.reviews.models import Comment, InboxItem, MailChoice, Review
from csro_web.reviews.sight import who_may_see
from oracles.text import one_line, quoted

KIND = "review letter"
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
            enqueue(KIND, inputs=inputs, asked_by=None, run=review.run)


def send(review_id: int, person_id: int, *, attempt: int) -> str:
    """Hand the letter to the mail server; what became of it, in words.

    Whether the person may still see the run and wants letters is asked at this moment.

    Raises:
        JobLater, JobRefused: as :func:`csro_web.letters.hand_over`.
    """
    review = Review.objects.select_related("policy", "candidate", "run", "author").get(pk=review_id)
    person = who_may_see(review.run, [person_id]).get(person_id)
    if person is None or not person.email:
        return "not sent: the person is switched off, may not see the run, or has no address"
    if MailChoice.objects.filter(person=person, wanted=False).exists():
        return "not sent: the person wants no letters"
    if not settings.MAIL_ON:
        return "not sent: no mail server is set up"
    hand_over(letter(review, person), attempt=attempt)
    return "sent"


def letter(review: Review, person: User) -> EmailMessage:
    """Plain text; headers hold no line feed, whatever people and models wrote.

    A letter that is sent twice (a worker was killed between sending and saving) has the same
    Message-ID, by which mail programs show it once.
    """
    items = InboxItem.objects.filter(review=review, person=person)
    because = sorted({str(item.get_kind_display()) for item in items})
    comments = list(
        Comment.objects.filter(review=review).select_related("thread")[: MOST_COMMENTS + 1]
    )
    context = {
        "review": review,
        "author": shown(review.author.get_username()),
        "policy": shown(title(review.program)),
        "run": shown(str(review.run)),
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
