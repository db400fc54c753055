"""What every reducer does with steps: take the results that are there, note what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from games.match import SandboxLevel
from oracles.steps import StepResult, StepSpec

Ask = Callable[[Sequence[StepSpec]], list[StepResult | None]]
"""The results of steps in order; a step without one becomes pending."""
_LEVELS = list(SandboxLevel)


class Asking:
    """The results of a run by step key, and what was asked of them so far."""

    def __init__(self, results: Mapping[str, StepResult]) -> None:
        self.results = results
        self.pending: list[StepSpec] = []
        self.done = 0
        self.levels: set[str] = set()
        self.decisions: int | None = 0
        """Decisions played, of both sides; None once a result does not tell."""

    def ask(self, steps: Sequence[StepSpec]) -> list[StepResult | None]:
        """Their results in order; a step without one becomes pending."""
        found = [self.results.get(step.key) for step in steps]
        for step, result in zip(steps, found, strict=True):
            if result is None:
                self.pending.append(step)
                continue
            self.done += 1
            self.levels.update(match["level"] for match in result.get("matches", ()))
            self._count(result)
        return found

    def _count(self, result: StepResult) -> None:
        played = [match.get("decisions") for match in result.get("matches", ())]
        if "training" in result:
            played.append(result["training"].get("decisions"))
        for decisions in played:
            known = self.decisions is not None and decisions is not None
            self.decisions = self.decisions + decisions if known else None

    @property
    def sandbox_level(self) -> str | None:
        """The weakest level among the results so far; None before any match."""
        return max(self.levels, key=_weakness) if self.levels else None


def _weakness(level: str) -> int:
    return _LEVELS.index(SandboxLevel(level))
