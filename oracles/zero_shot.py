"""ZeroShot (CSRO, arXiv:2603.10098): one prompt, one program, and that is the best response."""

from __future__ import annotations

from oracles.search import Attempts, Judgement, Proposal, Search, entered, exhaustion


class ZeroShot:
    """Done after one attempt, whatever became of it."""

    def search(self, attempts: Attempts) -> Search:
        ended = entered(attempts)
        if not ended:
            return Search((), None, False, "", (Proposal(1, None),))
        fit = ended[0].fit
        judgement = Judgement(True if fit else None, None, None)
        reason = "" if fit else exhaustion(attempts) or "the one proposal was not fit to join"
        return Search((judgement,), 0 if fit else None, True, reason)

    def record(self) -> None:
        """There is no program database."""
