"""The attempts of one iteration: written, tried, scored, judged, and told about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from games.metrics import estimate, weighted_mean
from games.players import CodePlayer
from oracles import plan
from oracles.config import ContextMode, RunConfig
from oracles.feedback import feedback_text
from oracles.fingerprint import fingerprint
from oracles.population import total_faults
from oracles.search import Attempt, Judgement, Search, Searcher
from oracles.state import CandidateRecord, PolicyRecord, Usage
from oracles.steps import StepResult, StepSpec

WORST_EPISODES = 3


@dataclass(frozen=True)
class _Draft:
    """An attempt as far as it is known."""

    record: CandidateRecord
    payoffs: tuple[tuple[float, ...], ...] = ()

    @property
    def attempt(self) -> Attempt:
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
        self._drafts: list[_Draft] = []
        self._open: _Draft | None = None

    def follow(self, searcher: Searcher) -> Search:
        """The search after all attempts that have ended."""
        while True:
            search = searcher([draft.attempt for draft in self._drafts], self._weights)
            if search.finished or not self._attempt(search.incumbent):
                return search

    def records(self, search: Search) -> list[CandidateRecord]:
        """All attempts in order, the open one last, with what the search made of them."""
        judged = [
            self._judge(draft, judgement)
            for draft, judgement in zip(self._drafts, search.judgements, strict=True)
        ]
        return judged + ([self._open.record] if self._open else [])

    def _judge(self, draft: _Draft, judgement: Judgement) -> CandidateRecord:
        record = replace(
            draft.record,
            improved=judgement.improved,
            paired_difference=judgement.paired_difference,
        )
        hidden = self._config.context is ContextMode.NONE
        return replace(record, feedback=feedback_text(record, hide_names=hidden))

    def _attempt(self, incumbent: int | None) -> bool:
        """Go on with the next attempt; whether it has ended."""
        number = len(self._drafts) + 1
        parent = None if incumbent is None else self._drafts[incumbent].record.key
        (written,) = self._ask([plan.write(self._iteration, number, parent)])
        if written is None:
            return False
        record = self._read(number, parent, written)
        if not record.accepted:
            self._drafts.append(_Draft(record))
            return True
        ended = self._play(number, record)
        if ended is None:
            return False
        self._drafts.append(ended)
        return True

    def _read(self, number: int, parent: str | None, written: StepResult) -> CandidateRecord:
        completion, extraction = written["completion"], written["extraction"]
        key = plan.candidate_key(self._iteration, number)
        record = CandidateRecord(
            key=key,
            iteration=self._iteration,
            attempt=number,
            messages=tuple(written["messages"]),
            completion=completion["text"],
            model=completion["model"],
            accepted=extraction["accepted"],
            reason=extraction["reason"],
            line=extraction["line"],
            source=extraction["source"],
            sha256=extraction["sha256"],
            repairs=tuple(extraction["repairs"]),
            parent=parent,
            score=None,
            per_opponent=(),
            faults={},
            tracebacks=(),
            feedback="",
            improved=None,
            paired_difference=None,
            finish_reason=completion["finish_reason"],
            usage=_usage(completion),
        )
        if not record.accepted:
            return record
        mark = written["fingerprint"]
        if mark in self._known:
            reason = f"duplicate: the same program as {self._known[mark]}, apart from its layout"
            return replace(record, accepted=False, reason=reason)
        self._known[mark] = key
        return record

    def _play(self, number: int, record: CandidateRecord) -> _Draft | None:
        """Try the candidate in one episode, then score it; None while results are missing."""
        self._open = _Draft(record)
        heaviest = self._opponents[0].index
        (tried,) = self._ask([plan.smoke(self._iteration, number, heaviest)])
        if tried is None:
            return None
        matches = tried["matches"]
        faults = total_faults(match["faults_a"] for match in matches)
        if not faults or self._config.allow_faulty:
            steps = plan.score(self._iteration, number, [p.index for p in self._opponents])
            results = [result for result in self._ask(steps) if result is not None]
            if len(results) < len(steps):
                return None
            scored = [match for result in results for match in result["matches"]]
            self._open = None
            return self._scored(record, scored, matches)
        self._open = None
        return _Draft(replace(record, faults=faults, tracebacks=_tracebacks(matches)))

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
        return _Draft(scored, payoffs)


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


def _usage(completion: Mapping[str, Any]) -> Usage:
    if not completion["model_call"]:
        return Usage()
    return Usage(1, completion["prompt_tokens"], completion["completion_tokens"], completion["usd"])
