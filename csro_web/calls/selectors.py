"""What the pages of model calls read, and in how many queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q, QuerySet, Sum
from django.utils import timezone

from csro_web.calls.models import NANO, RESEND, CallOutcome, CallPurpose, ModelCall, Spending
from csro_web.policies.models import Candidate, Policy
from csro_web.runs import limits
from csro_web.runs.models import Run

CALLS_PER_PAGE = 50
SAME_KEY_SHOWN = 50


@dataclass(frozen=True)
class CallFilter:
    """What the list is narrowed to; empty strings narrow nothing."""

    outcome: str = ""
    purpose: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> CallFilter:
        """Out of a query string; what is unknown narrows nothing, so no link breaks the page."""
        outcome, purpose = query.get("outcome", ""), query.get("purpose", "")
        return cls(
            outcome=outcome if outcome in CallOutcome.values else "",
            purpose=purpose if purpose in CallPurpose.values else "",
        )

    def apply(self, calls: QuerySet[ModelCall]) -> QuerySet[ModelCall]:
        return calls.filter(**{key: value for key, value in vars(self).items() if value})


def list_calls(run: Run, narrow: CallFilter, page_number: str | None) -> Page[ModelCall]:
    """One page of the run's calls, newest first, without their long texts. 2 queries."""
    calls = narrow.apply(ModelCall.objects.filter(run=run)).order_by("-pk")
    light = calls.defer("messages", "answer", "parameters")
    return Paginator(light, CALLS_PER_PAGE).get_page(page_number)


@dataclass(frozen=True, kw_only=True)
class Line:
    """What was used of one thing, and of how much."""

    name: str
    known: float
    """What is known to have been used."""
    unknown: int
    """Calls that ended and whose use is not known."""
    counted: float
    """What counts against the limit: those in flight and the unknown at their upper estimates."""
    limit: float | None

    @property
    def is_unknown(self) -> bool:
        """Whether nothing is known at all, though something was used."""
        return self.unknown > 0 and self.known == 0


@dataclass(frozen=True, kw_only=True)
class Spent:
    """A run's calls, added up."""

    calls: int
    in_flight: int
    answered: int
    failed: int
    lines: tuple[Line, ...]


def spent_by(run: Run) -> Spent:
    """Everything the run has spent on models so far, against its budget. 2 queries."""
    ended = ~Q(outcome=CallOutcome.IN_FLIGHT)
    no_tokens = Q(prompt_tokens=None) | Q(completion_tokens=None)
    found = ModelCall.objects.filter(run=run).aggregate(
        calls=Count("pk"),
        in_flight=Count("pk", filter=~ended),
        answered=Count("pk", filter=Q(outcome=CallOutcome.ANSWERED)),
        tokens=Sum(F("prompt_tokens") + F("completion_tokens"), filter=~no_tokens, default=0),
        no_tokens=Count("pk", filter=ended & no_tokens),
        usd=Sum("nano_usd", default=0),
        no_usd=Count("pk", filter=ended & Q(nano_usd=None)),
    )
    counted = Spending.objects.filter(run=run).first() or Spending(run=run)
    budget = run.config.get("budget") or {}
    lines = [
        Line(
            name="calls",
            known=found["calls"],
            unknown=0,
            counted=counted.calls,
            limit=budget.get("calls"),
        ),
        Line(
            name="tokens",
            known=found["tokens"],
            unknown=found["no_tokens"],
            counted=counted.tokens,
            limit=budget.get("tokens"),
        ),
        Line(
            name="usd",
            known=found["usd"] / NANO,
            unknown=found["no_usd"],
            counted=counted.nano_usd / NANO,
            limit=budget.get("usd"),
        ),
    ]
    if budget.get("minutes") is not None:
        lines.append(_minutes(run, budget["minutes"]))
    return Spent(
        calls=found["calls"],
        in_flight=found["in_flight"],
        answered=found["answered"],
        failed=found["calls"] - found["in_flight"] - found["answered"],
        lines=tuple(lines),
    )


def _minutes(run: Run, limit: float) -> Line:
    left = limits.seconds_left(run, run.ended_at or timezone.now())
    used = limit - (left or 0.0) / 60
    return Line(name="minutes", known=used, unknown=0, counted=used, limit=limit)


def has_spending(run: Run) -> bool:
    """Whether the run may ask models or has any limit, so that a person wants to see the sums."""
    budget = run.config.get("budget") or {}
    return run.config.get("model") is not None or any(v is not None for v in budget.values())


def candidate_of(call: ModelCall) -> Candidate | None:
    """The candidate that the call was made for, if one has come of it. 1 or 2 queries."""
    original = original_of(call)
    key = (original or call).key
    keys = [key, key.rpartition("/")[0]]
    found = Candidate.objects.filter(run_id=call.run_id, key__in=keys)
    return found.only("pk", "run_id", "iteration", "attempt").first()


def summarised_by(call: ModelCall) -> Policy | None:
    """The policy that the call was to summarise. At most 1 query."""
    index = call.key.removeprefix("summary/")
    if call.purpose != CallPurpose.SUMMARY or not index.isdecimal():
        return None
    found = Policy.objects.filter(run_id=call.run_id, index=int(index))
    return found.only("pk", "name", "run_id").first()


def original_of(call: ModelCall) -> ModelCall | None:
    """The call that this one repeats, if it is a repetition. At most 1 query."""
    number, _, _ = call.key.removeprefix(RESEND).partition("/")
    if not call.key.startswith(RESEND) or not number.isdecimal():
        return None
    calls = ModelCall.objects.filter(run_id=call.run_id)
    return calls.defer("messages", "answer").filter(pk=int(number)).first()


def calls_for(candidate: Candidate) -> QuerySet[ModelCall]:
    """Every request that was sent for a candidate, in order, without their long texts."""
    mine = Q(key=candidate.key) | Q(key__startswith=f"{candidate.key}/")
    calls = ModelCall.objects.filter(mine, run_id=candidate.run_id).order_by("pk")
    return calls.defer("messages", "answer", "parameters")


def same_key(call: ModelCall) -> list[ModelCall]:
    """All requests for the same key, this one among them, without their long texts. 1 query."""
    calls = ModelCall.objects.filter(run_id=call.run_id, key=call.key).order_by("pk")
    return list(calls.defer("messages", "answer", "parameters")[:SAME_KEY_SHOWN])


def repeated(call: ModelCall) -> list[ModelCall]:
    """The calls that repeat this one, in order, with their answers. 1 query."""
    calls = ModelCall.objects.filter(run_id=call.run_id, key__startswith=f"{RESEND}{call.pk}/")
    return list(calls.order_by("pk").defer("messages", "parameters")[:SAME_KEY_SHOWN])
