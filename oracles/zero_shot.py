"""ZeroShot (CSRO, arXiv:2603.10098): one prompt, one program, and that is the best response."""

from __future__ import annotations

from collections.abc import Sequence

from oracles.search import Attempt, Judgement, Search


def search(attempts: Sequence[Attempt], weights: Sequence[float]) -> Search:
    """Done after one attempt, whatever became of it."""
    if not attempts:
        return Search((), None, False, "")
    fit = attempts[0].fit
    judgement = Judgement(True if fit else None, None, None)
    reason = "" if fit else "the one proposal was not fit to join"
    return Search((judgement,), 0 if fit else None, True, reason)
