"""A ledger that lives as long as its process, for notebooks, tests and single questions."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from oracles.models.access import (
    RETRIED,
    Asked,
    BudgetExhausted,
    ModelAnswer,
    Outcome,
    OutcomeKind,
    Vain,
)
from oracles.options import Budget


@dataclass
class Entry:
    """One request: as it was reserved and, once that is known, what became of it."""

    asked: Asked
    outcome: Outcome | None = None

    @property
    def tokens(self) -> int:
        """What it counts in the budget: as reported, or the most it can be while that is open."""
        found = self.outcome
        if found is None or found.prompt_tokens is None or found.completion_tokens is None:
            return self.asked.most_tokens
        return found.prompt_tokens + found.completion_tokens

    @property
    def usd(self) -> float | None:
        """Likewise in US dollars; None when even the most is unknown."""
        known = None if self.outcome is None else self.outcome.usd
        return self.asked.most_usd if known is None else known


class MemoryLedger:
    """A :class:`oracles.models.Ledger` for the threads of one process."""

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self.entries: list[Entry] = []
        """Every request, in the order in which they were reserved."""
        self._lock = threading.Lock()

    def recall(self, key: str) -> ModelAnswer | None:
        with self._lock:
            entries = [entry for entry in self.entries if entry.asked.key == key]
        settled = [(entry, entry.outcome) for entry in entries if entry.outcome is not None]
        for entry, outcome in settled:
            if outcome.kind is OutcomeKind.ANSWERED and outcome.text is not None:
                costs = [each.usd for _, each in settled]
                known = [usd for usd in costs if usd is not None]
                return ModelAnswer(
                    text=outcome.text,
                    model=outcome.model or entry.asked.model,
                    finish_reason=outcome.finish_reason,
                    prompt_tokens=outcome.prompt_tokens,
                    completion_tokens=outcome.completion_tokens,
                    usd=sum(known) if len(known) == len(costs) else None,
                    seconds=outcome.seconds,
                    requests=len(entries),
                )
        return None

    def in_vain(self, key: str) -> list[Vain]:
        with self._lock:
            entries = [entry for entry in self.entries if entry.asked.key == key]
        return [
            Vain(model=entry.asked.model, endpoint=entry.asked.endpoint, outcome=entry.outcome)
            for entry in entries
            if entry.outcome is not None and entry.outcome.kind in RETRIED
        ]

    def reserve(self, asked: Asked) -> int:
        with self._lock:
            self._check(asked)
            self.entries.append(Entry(asked))
            return len(self.entries) - 1

    def settle(self, reservation: int, outcome: Outcome) -> None:
        with self._lock:
            self.entries[reservation].outcome = outcome

    def _check(self, asked: Asked) -> None:
        budget = self.budget
        if budget.calls is not None and len(self.entries) >= budget.calls:
            raise BudgetExhausted(f"the budget of {budget.calls} model calls is spent")
        if budget.tokens is not None:
            used = sum(entry.tokens for entry in self.entries)
            if used + asked.most_tokens > budget.tokens:
                raise BudgetExhausted(
                    f"the budget of {budget.tokens:,} tokens does not allow another request:"
                    f" {used:,} are used or reserved, and this one may take {asked.most_tokens:,}"
                )
        if budget.usd is not None:
            if asked.most_usd is None:
                raise BudgetExhausted(
                    f"the price of {asked.model} is unknown, so it may not be called within a"
                    f" budget of {budget.usd:g} US dollars; state its price, or limit calls or"
                    " tokens instead"
                )
            spent = sum(entry.usd or 0.0 for entry in self.entries)
            if spent + asked.most_usd > budget.usd:
                raise BudgetExhausted(
                    f"the budget of {budget.usd:g} US dollars does not allow another request:"
                    f" {spent:.4f} are spent or reserved, and this one may cost"
                    f" {asked.most_usd:.4f}"
                )
