"""What is played of a proposal: a trial episode or a screening first, then full matches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from games.behaviour import behaviour
from games.metrics import Estimate
from oracles import plan
from oracles.alpha_evolve.cells import cell_of, lines_of_code
from oracles.asking import Ask
from oracles.config import RunConfig
from oracles.estimates import bound_of, estimate, weighted_mean
from oracles.population import game_of, total_faults
from oracles.search import Attempt, Proposal, Screening
from oracles.state import CandidateRecord, PolicyRecord, Stage
from oracles.steps import StepSpec

WORST_EPISODES = 3
Matches = Sequence[Mapping[str, Any]]
"""As a step result holds them."""


@dataclass(frozen=True)
class Draft:
    """A proposal as far as it is known; without a record while nothing was written."""

    record: CandidateRecord | None = None
    payoffs: tuple[tuple[float, ...], ...] = ()
    bounds: tuple[float, ...] = ()
    ended: bool = False
    exhausted: str = ""
    screening: Screening | None = None

    def attempt(self) -> Attempt | None:
        """As the search sees it; None while it is in work."""
        if not self.ended:
            return None
        if self.record is None:
            return Attempt(False, None, (), self.exhausted)
        record = self.record
        return Attempt(
            record.fit, record.score, self.payoffs, bounds=self.bounds, screening=self.screening
        )


class Trials:
    """Plays the proposals of one iteration, as far as there are results."""

    def __init__(
        self,
        *,
        config: RunConfig,
        ask: Ask,
        iteration: int,
        opponents: Sequence[PolicyRecord],
        weights: Sequence[float],
    ) -> None:
        self._config = config
        self._ask = ask
        self._iteration = iteration
        self._opponents = opponents
        self._indexes = [policy.index for policy in opponents]
        self._weights = weights

    def draft(self, proposal: Proposal, record: CandidateRecord) -> Draft:
        """A proposal whose program was accepted."""
        if proposal.worth is None:
            (tried,) = self._ask([plan.smoke(self._iteration, proposal.attempt, self._indexes[0])])
            if tried is None:
                return Draft(record)
            if self._fails(tried["matches"]):
                return _failed(record, tried["matches"])
            return self._full(proposal, Draft(record), tried["matches"])
        return self._screened(proposal, proposal.worth, record)

    def _fails(self, matches: Matches) -> bool:
        faults = total_faults(match["faults_a"] for match in matches)
        return bool(faults) and not self._config.allow_faulty

    def _screened(
        self, proposal: Proposal, worth: Callable[[Screening], bool], record: CandidateRecord
    ) -> Draft:
        """A few episodes against everybody decide whether there will be more."""
        episodes = min(self._config.evolution.screen_episodes, self._config.episodes)
        steps = plan.screen(self._iteration, proposal.attempt, self._indexes, episodes)
        matches = self._matches(steps)
        if matches is None:
            return Draft(at_stage(record, Stage.SCREENING))
        if self._fails(matches):
            return _failed(at_stage(record, Stage.SCREENED_OUT), matches)
        screening = self._screening(record, matches)
        record = self._with_screening(record, screening)
        if not worth(screening):
            return Draft(at_stage(record, Stage.SCREENED_OUT), ended=True, screening=screening)
        record = at_stage(record, Stage.PLAYING)
        return self._full(proposal, Draft(record, screening=screening), matches)

    def _screening(self, record: CandidateRecord, matches: Matches) -> Screening:
        assert record.source is not None
        axes = game_of(self._config).behaviour_axes()
        return Screening(
            score=self._mean(matches),
            behaviour=behaviour(axes, [match["tally"] for match in matches]),
            length=lines_of_code(record.source),
        )

    def _with_screening(self, record: CandidateRecord, screening: Screening) -> CandidateRecord:
        assert record.evolved is not None
        evolved = replace(
            record.evolved,
            screen=screening.score,
            behaviour=screening.behaviour,
            length=screening.length,
            cell=cell_of(game_of(self._config).behaviour_axes(), screening),
        )
        return replace(record, evolved=evolved)

    def _full(self, proposal: Proposal, draft: Draft, tried: Matches) -> Draft:
        matches = self._matches(plan.score(self._iteration, proposal.attempt, self._indexes))
        if matches is None:
            return draft
        assert draft.record is not None
        payoffs = tuple(tuple(match["payoffs"]) for match in matches)
        record = at_stage(self._scored(draft.record, matches, tried), Stage.PLAYED)
        bounds = tuple(bound_of(match) for match in matches)
        return replace(draft, record=record, payoffs=payoffs, bounds=bounds, ended=True)

    def _mean(self, matches: Matches) -> Estimate:
        """Against the mixture."""
        payoffs = [match["payoffs"] for match in matches]
        return weighted_mean(payoffs, self._weights, bounds=[bound_of(match) for match in matches])

    def _matches(self, steps: Sequence[StepSpec]) -> list[Mapping[str, Any]] | None:
        """The matches of all ``steps``; None while one of them has no result."""
        results = [result for result in self._ask(steps) if result is not None]
        if len(results) < len(steps):
            return None
        return [match for result in results for match in result["matches"]]

    def _scored(self, record: CandidateRecord, matches: Matches, tried: Matches) -> CandidateRecord:
        faults = total_faults(match["faults_a"] for match in (*tried, *matches))
        return replace(
            record,
            score=self._mean(matches),
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


def at_stage(record: CandidateRecord, stage: Stage) -> CandidateRecord:
    """The record at ``stage`` of its evolution; unchanged where there is none."""
    if record.evolved is None:
        return record
    return replace(record, evolved=replace(record.evolved, stage=stage))


def _failed(record: CandidateRecord, matches: Matches) -> Draft:
    faults = total_faults(match["faults_a"] for match in matches)
    return Draft(replace(record, faults=faults, tracebacks=_tracebacks(matches)), ended=True)


def _opponent_row(
    policy: PolicyRecord, weight: float, match: Mapping[str, Any]
) -> Mapping[str, Any]:
    met = estimate(match["payoffs"], bound=bound_of(match))
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


def _tracebacks(matches: Matches) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for match in matches for text in match["tracebacks"]))[:3]
