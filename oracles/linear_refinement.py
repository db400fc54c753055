"""LinearRefinement (CSRO, arXiv:2603.10098): propose, play, tell, and refine what was best."""

from __future__ import annotations

from collections.abc import Sequence

from oracles.mixture import paired_difference
from oracles.search import Attempt, Judgement, Search


def search(
    attempts: Sequence[Attempt], weights: Sequence[float], *, limit: int, target: float
) -> Search:
    """Refine until the incumbent's mean utility reaches ``target`` or ``limit`` proposals are made.

    An attempt replaces the incumbent only when the mean of its paired differences (same opponents,
    same seeds, weighted by sigma) is positive.
    """
    judgements: list[Judgement] = []
    incumbent: int | None = None
    for index, attempt in enumerate(attempts):
        parent = incumbent
        if not attempt.fit:
            judgements.append(Judgement(None, None, parent))
            continue
        if incumbent is None:
            judgements.append(Judgement(True, None, None))
            incumbent = index
            continue
        difference = paired_difference(weights, attempt.payoffs, attempts[incumbent].payoffs)
        judgements.append(Judgement(difference.mean > 0, difference, parent))
        if difference.mean > 0:
            incumbent = index
    best = attempts[incumbent].score if incumbent is not None else None
    if best is not None and best.mean >= target:
        return Search(tuple(judgements), incumbent, True, f"the target of {target:g} was reached")
    if len(attempts) >= limit:
        reason = f"all {limit} proposals were made"
        return Search(tuple(judgements), incumbent, True, reason)
    return Search(tuple(judgements), incumbent, False, "")
