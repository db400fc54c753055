"""Drafts and answers. An answer is saved with what follows from it, or not at all."""

from __future__ import annotations

import hashlib

from django.db import IntegrityError, transaction
from django.utils import timezone

from csro_web.accounts.models import User
from csro_web.answers import selectors
from csro_web.answers.models import Answer
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.runs import results
from csro_web.runs.models import Step, StepState
from oracles.candidate import MAX_ANSWER_CHARACTERS
from oracles.state import CandidateRecord
from oracles.text import storable


class AnswerError(Exception):
    """The answer was not taken; the message says why, and the draft is kept."""


class Refused(AnswerError):
    """No program that may be played can be read from the answer."""

    def __init__(self, candidate: CandidateRecord) -> None:
        super().__init__(candidate.reason)
        self.candidate = candidate


def save_draft(*, step: Step, person: User, text: str) -> Answer:
    """Keep what the person has typed so far; a request that was answered takes no more drafts.

    Raises:
        AnswerError: when the request was answered, or the text is too long.
    """
    _check_length(text)
    with transaction.atomic():
        if not Step.objects.filter(pk=step.pk, state=StepState.WAITING).exists():
            raise AnswerError(_gone(step))
        draft, _ = Answer.objects.update_or_create(
            step=step,
            person=person,
            defaults={"text": storable(text), "updated_at": timezone.now()},
        )
    return draft


def send(*, step: Step, person: User, text: str, although_refused: bool = False) -> None:
    """Answer the request; the run goes on with it at once.

    ``although_refused`` records an answer without a playable program as a failed proposal, as a
    model's would be.

    Raises:
        Refused: when the answer holds no program that may be played.
        AnswerError: when somebody else was first, the run has ended, or the text is too long.
    """
    draft = save_draft(step=step, person=person, text=text)
    trial = selectors.try_answer(step, draft.text)
    if not trial.candidate.accepted and not although_refused:
        raise Refused(trial.candidate)

    def mark_sent() -> None:
        Answer.objects.filter(pk=draft.pk).update(sent_at=timezone.now())
        record(
            Action.ANSWER_SENT,
            actor=person,
            subject=step,
            run_id=step.run_id,
            detail={
                "accepted": trial.candidate.accepted,
                "text_sha256": hashlib.sha256(draft.text.encode()).hexdigest(),
            },
        )

    try:
        saved = results.record_answer(step_id=step.pk, result=trial.result, together=mark_sent)
    except IntegrityError as error:
        raise AnswerError(_gone(step)) from error
    if saved is not results.Saved.YES:
        raise AnswerError(_gone(step))


def _check_length(text: str) -> None:
    if len(text) > MAX_ANSWER_CHARACTERS:
        raise AnswerError(
            f"The answer is too long: {len(text)} characters; at most {MAX_ANSWER_CHARACTERS}."
        )


def _gone(step: Step) -> str:
    sent = Answer.objects.filter(step=step, sent_at__isnull=False).select_related("person").first()
    if sent is not None:
        return f"{sent.person.get_username()} has answered this request already."
    return "The run does not ask for this any more: it has ended or its search is over."
