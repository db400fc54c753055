"""ZeroShot (CSRO, arXiv:2603.10098): one prompt, one program, and that is the best response."""

from __future__ import annotations

from collections.abc import Sequence

from oracles.search import Attempts, Judgement, Proposal, Search, entered, exhaustion


def search(attempts: Attempts, weights: Sequence[float]) -> Search:
    """Done after one attempt, whatever became of it."""
    ended = entered(attempts)
    if not ended:
        return Search((), None, False, "", (Proposal(1, None),))
    fit = ended[0].fit
    judgement = Judgement(True if fit else None, None, None)
    reason = "" if fit else exhaustion(attempts) or "the one proposal was not fit to join"
    return Search((judgement,), 0 if fit else None, True, reason)
