"""Best-of-N: N proposals that know nothing of each other, and the best of them joins."""

from __future__ import annotations

from collections.abc import Sequence

from oracles.search import (
    Attempts,
    Proposal,
    Search,
    compare,
    entered,
    exhaustion,
    open_numbers,
)


def search(attempts: Attempts, weights: Sequence[float], *, limit: int, window: int) -> Search:
    """``limit`` independent proposals, of which at most ``window`` are in work at a time.

    The best by mean utility on equal seeds is the incumbent, the earliest of equals. Being chosen
    as the best of N on these episodes favours the lucky one, so its gain is measured on others.
    """
    judgements, best = compare(entered(attempts), weights)
    numbers = open_numbers(attempts, limit=limit, window=window)
    if not numbers:
        reason = exhaustion(attempts) or f"all {limit} proposals were made"
        return Search(tuple(judgements), best, True, reason)
    proposals = tuple(Proposal(number, None, knows=0) for number in numbers)
    return Search(tuple(judgements), best, False, "", proposals)
