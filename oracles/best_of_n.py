"""Best-of-N: N proposals that know nothing of each other, and the best of them joins."""

from __future__ import annotations

from collections.abc import Sequence

from oracles.search import Attempts, Proposal, Ranking, Search, exhaustion, open_numbers


class BestOfN:
    """``limit`` independent proposals, of which at most ``window`` are in work at a time.

    The best by mean utility on equal seeds is the incumbent, the earliest of equals. Being chosen
    as the best of N on these episodes favours the lucky one, so its gain is measured on others.
    """

    def __init__(self, *, weights: Sequence[float], limit: int, window: int) -> None:
        self._ranking = Ranking(weights)
        self._limit = limit
        self._window = window

    def search(self, attempts: Attempts) -> Search:
        self._ranking.enter(attempts)
        judgements, best = tuple(self._ranking.judgements), self._ranking.best
        numbers = open_numbers(attempts, limit=self._limit, window=self._window)
        if not numbers:
            reason = exhaustion(attempts) or f"all {self._limit} proposals were made"
            return Search(judgements, best, True, reason)
        proposals = tuple(Proposal(number, None, knows=0) for number in numbers)
        return Search(judgements, best, False, "", proposals)

    def record(self) -> None:
        """There is no program database."""
