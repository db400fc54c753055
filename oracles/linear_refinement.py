"""LinearRefinement (CSRO, arXiv:2603.10098): propose, play, tell, and refine what was best."""

from __future__ import annotations

from collections.abc import Sequence

from oracles.search import Attempts, Proposal, Ranking, Search, exhaustion, open_numbers


class LinearRefinement:
    """Refine until the best mean utility reaches ``target`` or ``limit`` proposals are made.

    One proposal is in work at a time, refines the best so far and knows of all before it.
    """

    def __init__(self, *, weights: Sequence[float], limit: int, target: float) -> None:
        self._ranking = Ranking(weights)
        self._limit = limit
        self._target = target

    def search(self, attempts: Attempts) -> Search:
        ranking = self._ranking
        ranking.enter(attempts)
        judgements, best = tuple(ranking.judgements), ranking.best
        if ranking.best_score is not None and ranking.best_score.mean >= self._target:
            reason = f"the target of {self._target:g} was reached"
            return Search(judgements, best, True, reason)
        numbers = open_numbers(attempts, limit=self._limit, window=1)
        if not numbers:
            reason = exhaustion(attempts) or f"all {self._limit} proposals were made"
            return Search(judgements, best, True, reason)
        proposals = tuple(Proposal(number, best) for number in numbers)
        return Search(judgements, best, False, "", proposals)

    def record(self) -> None:
        """There is no program database."""
