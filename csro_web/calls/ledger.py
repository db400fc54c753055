"""The ledger of a run's requests to models, in the database (``oracles.models.Ledger``).

A request is taken out of the run's budget and written down in one transaction before it is sent.
The one row of :class:`Spending` is changed by a conditional UPDATE first, which every database does
for one request after the other: twenty workers cannot pass a limit together.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum
from django.utils import timezone

from csro_web.calls.models import NANO, CallOutcome, ModelCall, Spending
from csro_web.calls.text import bounded, short, shown_error, without_secrets
from csro_web.leases.owners import has_died, this_process
from csro_web.runs.models import Run
from games.engine import MatchCancelled
from oracles.models import (
    RETRIED,
    Asked,
    BudgetExhausted,
    ModelAnswer,
    ModelRefused,
    Outcome,
    OutcomeKind,
    Vain,
)
from oracles.options import Budget

LONGEST_COUNT = 10**12
"""Tokens; a server that claims more is not believed."""
GRACE_SECONDS = 60.0
"""After its deadline, a request that nobody has settled was abandoned."""
_WAIT_SECONDS = 0.1


def never() -> bool:
    return False


class DatabaseLedger:
    """The ledger of one run. Safe to use from several threads and processes.

    ``should_stop`` ends the wait of a request for others that may make room in the budget.
    """

    def __init__(self, run_id: int, should_stop: Callable[[], bool] = never) -> None:
        self._run_id = run_id
        self._should_stop = should_stop
        config = Run.objects.values_list("config", flat=True).get(pk=run_id)
        self._budget = Budget.from_json(config.get("budget") or {})
        deadline = (config.get("model") or {}).get("deadline_seconds", 300.0)
        self._overdue = timedelta(seconds=float(deadline) + GRACE_SECONDS)

    def recall(self, key: str) -> ModelAnswer | None:
        """The answer that was given to ``key`` before, exactly as it came, else None.

        One that was too large to be kept whole is not given again.
        """
        answered = self._calls.filter(key=key, outcome=CallOutcome.ANSWERED, answer_cut=0)
        call = answered.order_by("pk").first()
        if call is None:
            return None
        prices = list(self._calls.filter(key=key).values_list("nano_usd", flat=True))
        known = [price for price in prices if price is not None]
        return ModelAnswer(
            text=call.answer,
            model=call.model_served or None,
            finish_reason=call.finish_reason or None,
            prompt_tokens=call.prompt_tokens,
            completion_tokens=call.completion_tokens,
            usd=sum(known) / NANO if len(known) == len(prices) else None,
            seconds=call.seconds or 0.0,
            requests=len(prices),
        )

    def in_vain(self, key: str) -> list[Vain]:
        """What was sent for ``key`` and may be sent once more, oldest first. 1 query."""
        calls = self._calls.filter(key=key, outcome__in=[str(kind) for kind in RETRIED])
        light = calls.defer("messages", "parameters", "answer").order_by("pk")
        return [_vain(call) for call in light]

    def reserve(self, asked: Asked) -> int:
        """Take the request out of the budget before it is sent; see :class:`oracles.models.Ledger`.

        While requests in flight hold what this one needs, it waits for them: most of them cost
        less than their upper estimates.

        Raises:
            BudgetExhausted: when it would pass a limit.
            ModelRefused: when its price is unknown and the run has a limit in US dollars.
            MatchCancelled: when the worker was stopped meanwhile.
        """
        if self._budget.usd is not None and asked.most_usd is None:
            raise ModelRefused(
                f"the price of {asked.model} is unknown, and the run may spend at most"
                f" {self._budget.usd:g} usd: give the model a price in the file of endpoints"
            )
        while True:
            call = self._try(asked)
            if call is not None:
                return call
            self._refuse_or_wait(asked)

    def settle(self, reservation: int, outcome: Outcome) -> None:
        """Record the outcome; what is known of its cost takes the place of the estimate.

        A request that was taken for abandoned is settled all the same when its answer does come.
        """
        text, cut = bounded(outcome.text)
        tokens = (_count(outcome.prompt_tokens), _count(outcome.completion_tokens))
        open_ones = Q(outcome__in=(CallOutcome.IN_FLIGHT, CallOutcome.ABANDONED))
        with transaction.atomic():
            # The order spending, then call is the same wherever both are written: no deadlock.
            spending = Spending.objects.select_for_update().get(run_id=self._run_id)
            light = self._calls.defer("messages", "parameters")  # neither read nor written again
            call = light.filter(open_ones, pk=reservation).first()
            if call is None:
                raise ValueError(f"request {reservation} of run {self._run_id} is not open")
            call.outcome = str(outcome.kind)
            call.error = shown_error(outcome.error)
            call.answer, call.answer_cut = text, cut
            call.model_served = short(outcome.model, 200)
            call.finish_reason = short(outcome.finish_reason, 100)
            call.prompt_tokens, call.completion_tokens = tokens
            call.nano_usd = _nano(outcome.usd)
            call.seconds = outcome.seconds
            call.ended_at = timezone.now()
            call.save()
            if call.tokens is not None:
                spending.tokens = max(spending.tokens + call.tokens - call.reserved_tokens, 0)
            if call.nano_usd is not None:
                reserved = call.reserved_nano_usd or 0
                spending.nano_usd = max(spending.nano_usd + call.nano_usd - reserved, 0)
            spending.save(update_fields=["tokens", "nano_usd"])
            Run.objects.filter(pk=self._run_id).update(change=F("change") + 1)

    @property
    def _calls(self) -> QuerySet[ModelCall]:
        return ModelCall.objects.filter(run_id=self._run_id)

    def _try(self, asked: Asked) -> int | None:
        """Number of the new call; None when a limit forbids it at this moment."""
        tokens, nano_usd = asked.most_tokens, _nano(asked.most_usd)
        now = timezone.now()
        Spending.objects.get_or_create(run_id=self._run_id)
        with transaction.atomic():
            mine = Spending.objects.filter(self._has_room(asked), run_id=self._run_id)
            if not mine.update(
                calls=F("calls") + 1,
                tokens=F("tokens") + tokens,
                nano_usd=F("nano_usd") + (nano_usd or 0),
            ):
                return None
            call = ModelCall.objects.create(
                run_id=self._run_id,
                key=asked.key,
                purpose=str(asked.purpose),
                attempt=self._calls.filter(key=asked.key).count() + 1,
                endpoint=short(asked.endpoint, 100),
                model_asked=short(asked.model, 200),
                messages=[_plain_message(message) for message in asked.messages],
                parameters=without_secrets(dict(asked.parameters)),
                reserved_tokens=tokens,
                reserved_nano_usd=nano_usd,
                owner=this_process(),
                sent_at=now,
                overdue_at=now + self._overdue,
            )
            Run.objects.filter(pk=self._run_id).update(change=F("change") + 1)
        return call.pk

    def _has_room(self, asked: Asked) -> Q:
        room = Q()
        if self._budget.calls is not None:
            room &= Q(calls__lt=self._budget.calls)
        if self._budget.tokens is not None:
            room &= Q(tokens__lte=self._budget.tokens - asked.most_tokens)
        if self._budget.usd is not None:
            room &= Q(nano_usd__lte=_limit(self._budget.usd) - (_nano(asked.most_usd) or 0))
        return room

    def _refuse_or_wait(self, asked: Asked) -> None:
        """Returns after a moment while requests in flight may still make room.

        Raises:
            BudgetExhausted, MatchCancelled: see :meth:`reserve`.
        """
        abandon_dead()
        with transaction.atomic():
            # Both are of one moment: a request that ended in between would count as spent in full.
            spent = Spending.objects.select_for_update().get(run_id=self._run_id)
            flying = self._calls.filter(outcome=CallOutcome.IN_FLIGHT).aggregate(
                tokens=Sum("reserved_tokens", default=0), usd=Sum("reserved_nano_usd", default=0)
            )
        limits = self._budget
        if limits.calls is not None and spent.calls >= limits.calls:
            plural = "" if limits.calls == 1 else "s"
            raise BudgetExhausted(f"the budget of {limits.calls:,} call{plural} is used up")
        if limits.tokens is not None:
            left = limits.tokens - (spent.tokens - flying["tokens"])
            if asked.most_tokens > left:
                raise BudgetExhausted(
                    f"the budget of {limits.tokens:,} tokens: {max(left, 0):,} are left, and the"
                    f" next request may need {asked.most_tokens:,}"
                )
        if limits.usd is not None:
            left = _limit(limits.usd) - (spent.nano_usd - flying["usd"])
            if (_nano(asked.most_usd) or 0) > left:
                raise BudgetExhausted(
                    f"the budget of {limits.usd:g} usd: {max(left, 0) / NANO:.4g} are left, and the"
                    f" next request may cost {asked.most_usd:.4g}"
                )
        if self._should_stop():
            raise MatchCancelled("stopped while it waited for room in the budget")
        time.sleep(_WAIT_SECONDS)


def abandon_dead() -> int:
    """Settle what nobody waits for any more as abandoned; how many there were.

    It was sent, so it counts, and stays in the budget at its upper estimate.
    """
    flying = ModelCall.objects.filter(outcome=CallOutcome.IN_FLIGHT)
    now = timezone.now()
    gone = [
        (pk, run_id)
        for pk, run_id, owner, overdue in flying.values_list("pk", "run_id", "owner", "overdue_at")
        if overdue < now or has_died(owner)
    ]
    for pk, run_id in gone:
        with transaction.atomic():
            flying.filter(pk=pk).update(
                outcome=str(OutcomeKind.ABANDONED),
                error="the worker that sent it ended before the answer came",
                ended_at=now,
            )
            Run.objects.filter(pk=run_id).update(change=F("change") + 1)
    return len(gone)


def _vain(call: ModelCall) -> Vain:
    outcome = Outcome(
        kind=OutcomeKind(call.outcome),
        error=call.error,
        model=call.model_served or None,
        finish_reason=call.finish_reason or None,
        prompt_tokens=call.prompt_tokens,
        completion_tokens=call.completion_tokens,
        usd=None if call.nano_usd is None else call.nano_usd / NANO,
        seconds=call.seconds or 0.0,
    )
    return Vain(model=call.model_asked, endpoint=call.endpoint, outcome=outcome)


def _plain_message(message: object) -> object:
    return without_secrets(dict(message))  # type: ignore[call-overload]


def _count(tokens: int | None) -> int | None:
    """A count that can be true, else None."""
    return tokens if tokens is not None and 0 <= tokens <= LONGEST_COUNT else None


def _nano(usd: float | None) -> int | None:
    """US dollars in whole billionths, rounded up; None for what is no price."""
    if usd is None or not math.isfinite(usd) or not 0 <= usd <= 10**9:
        return None
    return math.ceil(usd * NANO)


def _limit(usd: float) -> int:
    return math.floor(usd * NANO)
