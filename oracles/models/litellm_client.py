"""Asking language models through litellm: which one, how often, within which budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from games.tournament import derive_seed
from oracles.models.access import (
    Asked,
    AskLater,
    BudgetExhausted,
    Ledger,
    ModelAnswer,
    ModelFailed,
    ModelRefused,
    ModelRequest,
    Outcome,
    OutcomeKind,
    Purpose,
    Vain,
)
from oracles.models.calling import Route, call, find_route, sampling
from oracles.models.endpoints import EndpointResolver, EnvironmentEndpoints
from oracles.models.exchange import MOST_BYTES
from oracles.models.prices import most_prompt_tokens
from oracles.models.waiting import Waits, pause
from oracles.options import ModelRef

HOPELESS = frozenset({OutcomeKind.NOT_AUTHORISED, OutcomeKind.REJECTED})
"""The same request would fail again: another model may be asked, this one is not."""


def _unlimited() -> float | None:
    return None


def _never() -> bool:
    return False


class LiteLlmClient:
    """A :class:`oracles.models.ModelClient` (docs/explanation/model-access.md).

    One instance may be used by many threads at once. ``seconds_left`` says how much time the run
    has; neither a request nor a wait goes beyond it. ``longest_wait``: seconds that are waited here
    before a request is sent again; a longer wait, but for turns of a game, is left to the caller
    (:class:`oracles.models.AskLater`), and the question goes on where it was when it is asked
    again. None: every wait is waited here.
    """

    def __init__(
        self,
        ledger: Ledger,
        endpoints: EndpointResolver | None = None,
        *,
        waits: Waits | None = None,
        seconds_left: Callable[[], float | None] = _unlimited,
        most_bytes: int = MOST_BYTES,
        longest_wait: float | None = None,
    ) -> None:
        self.ledger = ledger
        self.endpoints = endpoints or EnvironmentEndpoints()
        self.waits = waits or Waits()
        self.seconds_left = seconds_left
        self.most_bytes = most_bytes
        self.longest_wait = longest_wait

    def ask(
        self, request: ModelRequest, should_stop: Callable[[], bool] | None = None
    ) -> ModelAnswer:
        """See :meth:`oracles.models.ModelClient.ask`.

        The model is drawn out of the ensemble by weight. When it cannot be had after its own
        ``1 + retries`` requests, or at once when it refuses, the fallbacks are asked in order.
        """
        remembered = self.ledger.recall(request.key)
        if remembered is not None:
            return remembered
        vain = () if self.longest_wait is None else self.ledger.in_vain(request.key)
        question = _Question(self, request, should_stop or _never, vain)
        try:
            return question.answer()
        except (BudgetExhausted, ModelFailed) as error:
            error.requests = len(question.outcomes)
            raise


def draw_model(models: Sequence[ModelRef], seed: int) -> ModelRef:
    """One of the ensemble, with a probability in proportion to its weight."""
    weights = np.array([ref.weight for ref in models])
    rng = np.random.default_rng(derive_seed(seed, "ensemble"))
    return models[int(rng.choice(len(models), p=weights / weights.sum()))]


@dataclass
class _Question:
    """One request on its way to an answer."""

    client: LiteLlmClient
    request: ModelRequest
    should_stop: Callable[[], bool]
    vain: Sequence[Vain]
    """What was sent when the same question was asked before."""
    outcomes: list[Outcome] = field(init=False)
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.outcomes = [one.outcome for one in self.vain]

    def answer(self) -> ModelAnswer:
        choice = self.request.choice
        drawn = draw_model(choice.models, self.request.seed)
        failures: list[tuple[OutcomeKind, str]] = []
        for ref in (drawn, *choice.fallbacks):
            try:
                route = find_route(self.client.endpoints.resolve(ref, choice))
                outcome = self._try(ref, route)
            except ModelRefused as refusal:
                failures.append((OutcomeKind.REJECTED, f"{ref.model}: {refusal}"))
                continue
            if outcome.kind is OutcomeKind.ANSWERED:
                return self._answered(ref, outcome)
            failures.append((outcome.kind, f"{ref.model}: {outcome.error}"))
        words = "; ".join(text for _, text in failures)
        too_long = any(outcome.details.get("too_long") for outcome in self.outcomes)
        if not too_long and all(kind in HOPELESS for kind, _ in failures):
            raise ModelRefused(words)
        sent = len(self.outcomes)
        raise ModelFailed(f"{words} (after {sent} request{'' if sent == 1 else 's'})")

    def _try(self, ref: ModelRef, route: Route) -> Outcome:
        """Ask one model until it answers, refuses, or has been asked often enough."""
        before = [
            one.outcome
            for one in self.vain
            if (one.model, one.endpoint) == (ref.model, ref.endpoint)
        ]
        retries = len(before)
        if retries > self.request.choice.retries:
            return before[-1]
        while True:
            outcome = self._send(ref, route)
            if outcome.kind is OutcomeKind.ANSWERED or outcome.kind in HOPELESS:
                return outcome
            retries += 1
            if retries > self.request.choice.retries:
                return outcome
            asked_for = outcome.details.get("retry_after")
            wait = self.client.waits.seconds(
                seed=self.request.seed,
                attempt=len(self.outcomes),
                retries=retries,
                retry_after=asked_for,
            )
            left = self.client.seconds_left()
            if (asked_for or 0.0) > self.client.waits.patience or (
                left is not None and wait >= left
            ):
                return outcome
            self._pause(wait, f"{ref.model}: {outcome.error}")

    def _pause(self, seconds: float, words: str) -> None:
        longest = self.client.longest_wait
        alone = self.request.purpose is not Purpose.TURN  # other turns may be in flight with it
        if alone and longest is not None and seconds > longest:
            raise AskLater(f"it is asked again in {seconds:.0f} s: {words}", seconds=seconds)
        pause(seconds, self.should_stop)

    def _send(self, ref: ModelRef, route: Route) -> Outcome:
        """One request, reserved before and settled after, whatever happens in between."""
        request, choice, ledger = self.request, self.request.choice, self.client.ledger
        attempt = len(self.outcomes) + 1
        parameters = sampling(
            route,
            max_tokens=choice.max_tokens,
            temperature=choice.temperature,
            top_p=choice.top_p,
            seed=request.seed + attempt - 1,  # a bad answer would only be given again
        )
        most_prompt = most_prompt_tokens(request.messages)
        most_usd = None
        if route.tariff is not None:
            most_usd = route.tariff.most(
                prompt_tokens=most_prompt, completion_tokens=choice.max_tokens
            )
        left = self.client.seconds_left()
        if left is not None and left <= 0:
            raise BudgetExhausted("the time of the run is over")
        seconds = choice.deadline_seconds if left is None else min(choice.deadline_seconds, left)
        asked = Asked(
            key=request.key,
            purpose=request.purpose,
            attempt=attempt,
            model=ref.model,
            endpoint=ref.endpoint,
            messages=request.messages,
            parameters=parameters,
            most_tokens=most_prompt + choice.max_tokens,
            most_usd=most_usd,
        )
        reservation = ledger.reserve(asked)
        began = time.monotonic()
        outcome = Outcome(kind=OutcomeKind.ABANDONED, error="stopped before the answer came")
        try:
            outcome = call(
                route,
                messages=request.messages,
                parameters=parameters,
                seconds=seconds,
                should_stop=self.should_stop,
                most_bytes=self.client.most_bytes,
            )
        finally:
            if outcome.kind is OutcomeKind.ABANDONED:
                outcome = Outcome(
                    kind=outcome.kind, error=outcome.error, seconds=time.monotonic() - began
                )
            ledger.settle(reservation, outcome)
        self.outcomes.append(outcome)
        return outcome

    def _answered(self, ref: ModelRef, outcome: Outcome) -> ModelAnswer:
        costs = [each.usd for each in self.outcomes]
        known = [usd for usd in costs if usd is not None]
        assert outcome.text is not None
        return ModelAnswer(
            text=outcome.text,
            model=outcome.model or ref.model,
            finish_reason=outcome.finish_reason,
            prompt_tokens=outcome.prompt_tokens,
            completion_tokens=outcome.completion_tokens,
            usd=sum(known) if len(known) == len(costs) else None,
            seconds=time.monotonic() - self.began,
            requests=len(self.outcomes),
        )
