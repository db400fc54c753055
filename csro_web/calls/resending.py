"""Sending a recorded call once more: an operator asks, a worker does it, the run does not change.

Only workers have the keys of models, so the wish waits in the database, and a message tells a
worker of it (the reconciler repeats a message that was lost). It is never sent twice by itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.calls.models import CallOutcome, ModelCall, Resend, ResendState
from csro_web.calls.text import shown_error
from csro_web.leases.messages import send_each
from csro_web.leases.owners import has_died, is_from_here, this_process
from csro_web.runs.models import Run
from games.engine import MatchCancelled
from oracles.models import (
    BudgetExhausted,
    ModelFailed,
    ModelRefused,
    ModelRequest,
    Purpose,
)
from oracles.options import ModelChoice, ModelRef

logger = logging.getLogger(__name__)

SILENCE = timedelta(minutes=15)
"""A worker elsewhere that has had no request in flight for this long is not sending any more."""


class ResendError(Exception):
    """The call cannot be sent once more; the message says why."""


def ask_resend(*, call: ModelCall, asked_by: User | None) -> Resend:
    """Have a worker send the call once more, within the run's budget.

    Raises:
        ResendError: when that is being done already, or the run has no choice of models.
    """
    if call.run.config.get("model") is None:
        raise ResendError("its run has chosen no language model")
    resend = Resend(call=call, asked_by=asked_by)
    try:
        resend.full_clean()
        with transaction.atomic():
            resend.save()
            Run.objects.filter(pk=call.run_id).update(change=F("change") + 1)
            record(
                Action.CALL_RESENT,
                actor=asked_by,
                subject=call,
                run_id=call.run_id,
                detail={"resend": resend.pk},
            )
    except (ValidationError, IntegrityError) as error:
        raise ResendError("it is being sent once more already") from error
    send_waiting()
    return resend


def send_waiting() -> int:
    """Tell workers of the wishes that no message is on its way for; how many."""
    from csro_web.calls.tasks import resend_call

    waiting = Resend.objects.filter(state=ResendState.WAITING)
    return send_each(waiting, resend_call, what="resending waits")


def perform(resend_id: int, should_stop: Callable[[], bool]) -> bool:
    """Send it, if nobody else does; whether a worker has to be found for it."""
    owner = this_process()
    waiting = Resend.objects.filter(pk=resend_id, state=ResendState.WAITING)
    if not waiting.update(state=ResendState.SENDING, owner=owner):
        return False
    resend = Resend.objects.select_related("call__run").get(pk=resend_id)
    try:
        _ask(resend, should_stop)
    except MatchCancelled:
        _end(resend, ResendState.FAILED, "the worker was stopped before the answer came")
    except (BudgetExhausted, ModelFailed, ModelRefused) as error:
        _end(resend, ResendState.FAILED, str(error))
    except Exception as error:
        logger.exception("sending call %s once more failed", resend.call_id)
        _end(resend, ResendState.FAILED, f"{type(error).__name__}: {error}")
    else:
        _end(resend, ResendState.DONE, "")
    return True


def _ask(resend: Resend, should_stop: Callable[[], bool]) -> None:
    from csro_web.calls.client import model_client

    call = resend.call
    request = ModelRequest(
        key=resend.key,
        purpose=Purpose(call.purpose),
        messages=tuple(call.messages),
        choice=_same_choice(call),
        seed=int(call.parameters.get("seed", 0)),
    )
    model_client(call.run_id, should_stop).ask(request, should_stop)


def _same_choice(call: ModelCall) -> ModelChoice:
    """The model and the parameters of the call, with the run's patience."""
    sent = call.parameters
    return replace(
        ModelChoice.from_json(call.run.config["model"]),
        models=(ModelRef(model=call.model_asked, endpoint=call.endpoint),),
        fallbacks=(),
        temperature=sent.get("temperature"),
        top_p=sent.get("top_p"),
        max_tokens=sent["max_tokens"],
    )


def _end(resend: Resend, state: ResendState, failure: str) -> None:
    mine = Resend.objects.filter(pk=resend.pk, state=ResendState.SENDING)
    with transaction.atomic():
        mine.update(state=state, failure=shown_error(failure))
        Run.objects.filter(pk=resend.call.run_id).update(change=F("change") + 1)


def give_up_dead() -> int:
    """End the wishes whose workers are gone; they are not sent again, for that might cost twice."""
    ended = 0
    for resend in Resend.objects.filter(state=ResendState.SENDING).select_related("call"):
        owner = resend.owner
        if has_died(owner) if is_from_here(owner) else _is_silent(resend):
            _end(resend, ResendState.FAILED, "its worker ended before the answer came")
            ended += 1
    return ended


def _is_silent(resend: Resend) -> bool:
    since = timezone.now() - SILENCE
    calls = ModelCall.objects.filter(run_id=resend.call.run_id, key=resend.key)
    busy = calls.filter(Q(outcome=CallOutcome.IN_FLIGHT) | Q(ended_at__gte=since)).exists()
    return not busy and (resend.queued_at or resend.asked_at) < since
