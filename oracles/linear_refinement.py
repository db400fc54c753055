"""LinearRefinement (CSRO, arXiv:2603.10098): propose, play, tell, and refine what was best."""

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


def search(attempts: Attempts, weights: Sequence[float], *, limit: int, target: float) -> Search:
    """Refine until the incumbent's mean utility reaches ``target`` or ``limit`` proposals are made.

    One proposal is in work at a time, and knows all before it (:func:`oracles.search.compare`).
    """
    ended = entered(attempts)
    judgements, incumbent = compare(ended, weights)
    best = ended[incumbent].score if incumbent is not None else None
    if best is not None and best.mean >= target:
        return Search(tuple(judgements), incumbent, True, f"the target of {target:g} was reached")
    numbers = open_numbers(attempts, limit=limit, window=1)
    if not numbers:
        reason = exhaustion(attempts) or f"all {limit} proposals were made"
        return Search(tuple(judgements), incumbent, True, reason)
    proposals = tuple(Proposal(number, incumbent) for number in numbers)
    return Search(tuple(judgements), incumbent, False, "", proposals)
