"""The attempts of one iteration: written, tried, scored, judged, and told about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from games.players import CodePlayer
from oracles import plan
from oracles.asking import Ask
from oracles.config import ContextMode, OracleName, RunConfig
from oracles.failures import DUPLICATE
from oracles.feedback import feedback_text
from oracles.fingerprint import fingerprint
from oracles.search import Attempt, Judgement, Proposal, Search, Searcher
from oracles.state import CandidateRecord, PolicyRecord, Usage
from oracles.steps import StepResult, StepSpec
from oracles.trials import Draft, Trials
from oracles.written import vain, written_record


class AttemptBook:
    """Follows one search for a best response as far as the results go."""

    def __init__(
        self,
        *,
        config: RunConfig,
        ask: Ask,
        iteration: int,
        opponents: Sequence[PolicyRecord],
        weights: Sequence[float],
        population: Sequence[PolicyRecord],
        earlier: Sequence[CandidateRecord],
    ) -> None:
        self._config = config
        self._ask = ask
        self._iteration = iteration
        self._trials = Trials(
            config=config, ask=ask, iteration=iteration, opponents=opponents, weights=weights
        )
        self._known = _known_programs(population, earlier)
        self._refused = _refused_answers(earlier)
        self._drafts: list[Draft] = []
        self._attempts: list[Attempt | None] = []
        self._unwritten = False
        self.in_vain = Usage()
        """What was asked of models for proposals that the budget then did not allow."""

    @property
    def exhausted(self) -> str:
        """Why nothing more could be asked, in words; empty while more could be."""
        return next((draft.exhausted for draft in self._drafts if draft.exhausted), "")

    def follow(self, searcher: Searcher) -> Search:
        """The search after all attempts that have ended; the others have asked for their steps."""
        while True:
            search = searcher.search(self._attempts)
            new = [item for item in search.proposals if item.attempt > len(self._drafts)]
            if not new:
                return search
            for proposal in new:
                draft = self._begin(proposal)
                self._drafts.append(draft)
                self._attempts.append(draft.attempt())

    def records(self, search: Search) -> list[CandidateRecord]:
        """All that was written, in order, with what the search made of it."""
        judgements = dict(enumerate(search.judgements))
        return [
            self._judge(draft.record, judgements.get(index))
            for index, draft in enumerate(self._drafts)
            if draft.record is not None
        ]

    def _judge(self, record: CandidateRecord, judgement: Judgement | None) -> CandidateRecord:
        if judgement is None:
            return record
        judged = replace(
            record,
            improved=judgement.improved,
            paired_difference=judgement.paired_difference,
        )
        hidden = self._config.context is ContextMode.NONE
        return replace(judged, feedback=feedback_text(judged, hide_names=hidden))

    def _begin(self, proposal: Proposal) -> Draft:
        """The proposal, as far as there are results for it.

        Answers are read in the order of their numbers, whichever came first: the later of two equal
        programs is the duplicate.
        """
        (written,) = self._ask([self._first_step(proposal)])
        self._unwritten = self._unwritten or written is None
        if self._unwritten or written is None:
            return Draft()
        if "exhausted" in written:
            self.in_vain += vain(written)
            return Draft(ended=True, exhausted=written["exhausted"])
        record = self._read(proposal, written)
        if not record.accepted:
            return Draft(record, ended=True)
        return self._trials.draft(proposal, record)

    def _first_step(self, proposal: Proposal) -> StepSpec:
        """What makes its program: a writer, or a training whose result has the same shape."""
        if self._config.oracle is OracleName.IMPALA:
            return plan.train(self._iteration, proposal.attempt)
        return plan.write(self._iteration, proposal)

    def _read(self, proposal: Proposal, written: StepResult) -> CandidateRecord:
        record = written_record(self._iteration, proposal, written)
        if not record.accepted:
            return self._refusal(record)
        mark = written["fingerprint"]
        if mark in self._known:
            reason = f"{DUPLICATE}: the same program as {self._known[mark]}, apart from its layout"
            return replace(record, accepted=False, reason=reason)
        self._known[mark] = record.key
        return record

    def _refusal(self, record: CandidateRecord) -> CandidateRecord:
        """A refused answer, with a word on it if the same one was refused before."""
        if record.mark is None or not record.completion:
            return record
        before = self._refused.setdefault(record.mark, record.key)
        if before == record.key:
            return record
        told = f"{DUPLICATE}: the same answer as {before}, which was refused: {record.reason}"
        return replace(record, reason=told)


def _known_programs(
    population: Sequence[PolicyRecord], earlier: Sequence[CandidateRecord]
) -> dict[str, str]:
    """Fingerprints that are not worth another try: members, and what had faults before."""
    known = {
        fingerprint(policy.player.source): policy.name
        for policy in population
        if isinstance(policy.player, CodePlayer)
    }
    for record in earlier:
        if record.faults and record.source is not None and not record.fit:
            known.setdefault(fingerprint(record.source), f"{record.key}, which had faults")
    return known


def _refused_answers(earlier: Sequence[CandidateRecord]) -> dict[str, str]:
    """Marks of the answers that were refused before, each with the key of the first."""
    refused: dict[str, str] = {}
    for record in earlier:
        if record.source is None and record.completion and record.mark is not None:
            refused.setdefault(record.mark, record.key)
    return refused
