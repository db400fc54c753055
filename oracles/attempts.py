"""The attempts of one iteration: written, tried, scored, judged, and told about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from games.metrics import estimate, weighted_mean
from games.players import CodePlayer
from oracles import plan
from oracles.config import ContextMode, RunConfig
from oracles.failures import DUPLICATE
from oracles.feedback import feedback_text
from oracles.fingerprint import fingerprint
from oracles.population import total_faults
from oracles.search import Attempt, Judgement, Proposal, Search, Searcher
from oracles.state import CandidateRecord, PolicyRecord
from oracles.steps import StepResult, StepSpec
from oracles.written import written_record

WORST_EPISODES = 3


@dataclass(frozen=True)
class _Draft:
    """A proposal as far as it is known; without a record while nothing was written."""

    record: CandidateRecord | None = None
    payoffs: tuple[tuple[float, ...], ...] = ()
    ended: bool = False
    exhausted: str = ""

    @property
    def attempt(self) -> Attempt | None:
        if not self.ended:
            return None
        if self.record is None:
            return Attempt(False, None, (), self.exhausted)
        return Attempt(self.record.fit, self.record.score, self.payoffs)


class AttemptBook:
    """Follows one search for a best response as far as the results go."""

    def __init__(
        self,
        *,
        config: RunConfig,
        ask: Callable[[Sequence[StepSpec]], list[StepResult | None]],
        iteration: int,
        opponents: Sequence[PolicyRecord],
        weights: Sequence[float],
        population: Sequence[PolicyRecord],
        earlier: Sequence[CandidateRecord],
    ) -> None:
        self._config = config
        self._ask = ask
        self._iteration = iteration
        self._opponents = opponents
        self._weights = weights
        self._known = _known_programs(population, earlier)
        self._refused = _refused_answers(earlier)
        self._drafts: list[_Draft] = []
        self._unwritten = False

    @property
    def exhausted(self) -> str:
        """Why nothing more could be asked, in words; empty while more could be."""
        return next((draft.exhausted for draft in self._drafts if draft.exhausted), "")

    def follow(self, searcher: Searcher) -> Search:
        """The search after all attempts that have ended; the others have asked for their steps."""
        while True:
            search = searcher([draft.attempt for draft in self._drafts], self._weights)
            new = [item for item in search.proposals if item.attempt > len(self._drafts)]
            if not new:
                return search
            self._drafts += [self._begin(proposal) for proposal in new]

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

    def _begin(self, proposal: Proposal) -> _Draft:
        """The proposal, as far as there are results for it.

        Answers are read in the order of their numbers, whichever came first: the later of two equal
        programs is the duplicate.
        """
        (written,) = self._ask([plan.write(self._iteration, proposal)])
        self._unwritten = self._unwritten or written is None
        if self._unwritten or written is None:
            return _Draft()
        if "exhausted" in written:
            return _Draft(ended=True, exhausted=written["exhausted"])
        record = self._read(proposal, written)
        if not record.accepted:
            return _Draft(record, ended=True)
        return self._play(proposal.attempt, record)

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

    def _play(self, number: int, record: CandidateRecord) -> _Draft:
        """Try the candidate in one episode, then score it."""
        heaviest = self._opponents[0].index
        (tried,) = self._ask([plan.smoke(self._iteration, number, heaviest)])
        if tried is None:
            return _Draft(record)
        matches = tried["matches"]
        faults = total_faults(match["faults_a"] for match in matches)
        if faults and not self._config.allow_faulty:
            told = replace(record, faults=faults, tracebacks=_tracebacks(matches))
            return _Draft(told, ended=True)
        steps = plan.score(self._iteration, number, [p.index for p in self._opponents])
        results = [result for result in self._ask(steps) if result is not None]
        if len(results) < len(steps):
            return _Draft(record)
        scored = [match for result in results for match in result["matches"]]
        return self._scored(record, scored, matches)

    def _scored(
        self,
        record: CandidateRecord,
        matches: Sequence[Mapping[str, Any]],
        tried: Sequence[Mapping[str, Any]],
    ) -> _Draft:
        payoffs = tuple(tuple(match["payoffs"]) for match in matches)
        faults = total_faults(match["faults_a"] for match in (*tried, *matches))
        scored = replace(
            record,
            score=weighted_mean(payoffs, self._weights),
            per_opponent=tuple(
                _opponent_row(policy, weight, match)
                for policy, weight, match in zip(
                    self._opponents, self._weights, matches, strict=True
                )
            ),
            faults=faults,
            tracebacks=_tracebacks((*tried, *matches)),
            fit=not faults or self._config.allow_faulty,
        )
        return _Draft(scored, payoffs, ended=True)


def _opponent_row(
    policy: PolicyRecord, weight: float, match: Mapping[str, Any]
) -> Mapping[str, Any]:
    met = estimate(match["payoffs"])
    by_payoff = sorted(range(len(match["payoffs"])), key=lambda index: match["payoffs"][index])
    return {
        "index": policy.index,
        "name": policy.name,
        "weight": weight,
        "mean": met.mean,
        "low": met.low,
        "high": met.high,
        "episodes": met.episodes,
        "faults": dict(match["faults_a"]),
        "worst_episodes": [
            {"episode": index + 1, "payoff": match["payoffs"][index]}
            for index in by_payoff[:WORST_EPISODES]
        ],
        **({"excerpt": match["excerpt"]} if "excerpt" in match else {}),
    }


def _tracebacks(matches: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for match in matches for text in match["tracebacks"]))[:3]


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
