"""The CSRO loop as a reducer: what is known of a run, and what to do next, from its results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from games.metrics import Estimate, weighted_mean
from games.players import CodePlayer
from oracles import plan, summaries
from oracles.asking import Asking
from oracles.attempts import AttemptBook
from oracles.challenge import frozen_mixture
from oracles.change_book import ChangeBook
from oracles.config import ContextMode, RunConfig
from oracles.context import shown_opponents
from oracles.held_out import held_out_scores
from oracles.mixture import Mixture, read_mixture, support, support_weights
from oracles.population import best_policy, cells_of, game_of, initial_population, total_faults
from oracles.searchers import most_proposals, origin_of, searcher_of
from oracles.state import (
    CandidateRecord,
    CellRecord,
    HeldOut,
    IterationRecord,
    MixtureQuality,
    PolicyRecord,
    RunState,
    Usage,
)
from oracles.steps import StepResult

PATIENCE = 3
"""Iterations in a row without a gain beyond its interval after which a run stops early."""


class Reducer(Asking):
    """One pass over the results of a run, in the order in which the run asks for them.

    Every phase asks for the steps it needs; one that has no result yet is pending, and the pass
    ends where nothing more can be said without it.
    """

    def __init__(self, config: RunConfig, results: Mapping[str, StepResult]) -> None:
        super().__init__(results)
        self.config = config
        self.game = game_of(config)
        self.population: list[PolicyRecord] = initial_population(config)
        self.cells: list[CellRecord] = []
        self.iterations: list[IterationRecord] = []
        self.candidates: list[CandidateRecord] = []
        self.changes = ChangeBook(
            config=config,
            results=results,
            ask=self.ask,
            population=self.population,
            cells=self.cells,
        )
        self.usage = Usage()
        self.final: Mixture | None = None
        self.quality: MixtureQuality | None = None
        self.best: int | None = None
        self.held_out: tuple[HeldOut, ...] = ()
        self.exhausted = ""
        self.stop_reason = ""
        self.evaluated = False
        self.finished = False

    def run(self) -> RunState:
        if not self.config.challenge:
            rows = [step for row in range(len(self.population)) for step in plan.initial_row(row)]
            self.cells += cells_of(rows, self.ask(rows))
        if not self.pending and self._iterate():
            self._conclude()
        return self._state()

    def _mixture(self, iteration: int | None, solver: str) -> Mixture | None:
        if self.config.challenge:
            return frozen_mixture(self.config)
        if not self.changes.apply_before(iteration, solver):
            return None
        size, without = len(self.population), self.changes.withdrawn
        (found,) = self.ask([plan.solve(iteration, size, solver, without)])
        if found is None:
            return None
        mixture = read_mixture(found)
        self.quality = mixture.quality
        return mixture

    def _iterate(self) -> bool:
        """All iterations so far; whether the loop has ended."""
        for index in range(1, self.config.iterations + 1):
            mixture = self._mixture(index, self.config.training_solver)
            if mixture is None:
                return False
            record = IterationRecord(
                index,
                *(mixture.sigma, mixture.low, mixture.high),
                *(None, None, False),
                quality=mixture.quality,
            )
            self.iterations.append(record)
            if not self._best_response(index, mixture):
                return False
            if self.exhausted:
                self.stop_reason = f"nothing more could be proposed: {self.exhausted}"
                return True
            if self._lacks_gain():
                self.stop_reason = f"{PATIENCE} iterations in a row without gain beyond interval"
                return True
        count = self.config.iterations
        self.stop_reason = (
            "the one iteration was made" if count == 1 else f"all {count} iterations were made"
        )
        return True

    def _lacks_gain(self) -> bool:
        if self.config.challenge:  # every try is independent of the others
            return False
        recent = self.iterations[-PATIENCE:]
        return len(recent) == PATIENCE and not any(_may_gain(item.gain) for item in recent)

    def _best_response(self, index: int, mixture: Mixture) -> bool:
        """Search for a best response and let it join; whether the iteration is over."""
        if not self._summarised(mixture):
            return False
        opponents = support(mixture.sigma)
        book = AttemptBook(
            config=self.config,
            ask=self.ask,
            iteration=index,
            opponents=[self.population[policy] for policy in opponents],
            weights=support_weights(mixture.sigma),
            population=self.population[: len(mixture.sigma)],
            earlier=() if self.config.challenge else self.candidates,
        )
        weights = support_weights(mixture.sigma)
        searcher = searcher_of(self.config, index, weights)
        search = book.follow(searcher)
        records = book.records(search)
        self.iterations[-1] = replace(self.iterations[-1], evolution=searcher.record())
        self.candidates += records
        self.usage = sum((record.usage for record in records), self.usage + book.in_vain)
        if not search.finished:
            return False
        if search.incumbent is None:
            self._close(None, None, f"no policy joined: {search.reason}, none was fit")
        else:
            best = next(item for item in records if item.attempt == search.incumbent + 1)
            if not self._join(index, mixture, best, search.reason):
                return False
        self.exhausted = book.exhausted
        return True

    def _summarised(self, mixture: Mixture) -> bool:
        """Whether the summaries that this iteration's prompts need are there; asks for others."""
        if not summaries.are_wanted(self.config):
            return True
        shown = shown_opponents(self.config.opponents, mixture.sigma, self.changes.withdrawn)
        for index in shown:
            known = summaries.known_summary(self.population, index)
            self.population[index] = replace(self.population[index], summary=known)
        missing = summaries.missing_steps(self.population, shown)
        steps = {step.key: step for step in missing.values()}
        found = dict(zip(steps, self.ask(list(steps.values())), strict=True))
        for index, step in missing.items():
            result = found[step.key]
            if result is not None:
                summary = summaries.summary_of(result)
                self.population[index] = replace(self.population[index], summary=summary)
        costs = (summaries.usage_of(result) for result in found.values() if result is not None)
        self.usage = sum(costs, self.usage)
        return all(result is not None for result in found.values())

    def _join(self, index: int, mixture: Mixture, candidate: CandidateRecord, reason: str) -> bool:
        row = len(self.population)
        steps = plan.joining_row(index, row, candidate.key, range(len(mixture.sigma)))
        found = self.ask(steps)
        if any(result is None for result in found):
            return False
        cells = cells_of(steps, found)
        faults = total_faults(cell.faults_row for cell in cells)
        if faults and not self.config.allow_faulty:
            told = ", ".join(f"{kind} {count}" for kind, count in sorted(faults.items()))
            self._close(None, None, f"no policy joined: {candidate.key} had faults ({told})")
            return True
        self.cells += cells
        self.population.append(self._member(index, row, candidate))
        gain = weighted_mean(
            [cell.payoffs for cell in cells],
            [mixture.sigma[cell.column] for cell in cells],
            bounds=[cell.bound for cell in cells],
        )
        self._close(gain, row, reason)
        return True

    def _member(self, index: int, row: int, candidate: CandidateRecord) -> PolicyRecord:
        assert candidate.source is not None
        return PolicyRecord(
            index=row,
            name=f"best response {index}",
            origin=origin_of(candidate),
            player=CodePlayer(candidate.source),
            iteration=index,
            candidate_key=candidate.key,
            parents=self._shown_to(candidate),
        )

    def _shown_to(self, candidate: CandidateRecord) -> tuple[int, ...]:
        if candidate.context_use:
            return tuple(candidate.context_use["shown"])
        if self.config.context is ContextMode.NONE:
            return ()
        sigma = self.iterations[-1].sigma
        return tuple(shown_opponents(self.config.opponents, sigma, self.changes.withdrawn))

    def _close(self, gain: Estimate | None, policy: int | None, note: str) -> None:
        self.iterations[-1] = replace(
            self.iterations[-1], gain=gain, policy=policy, finished=True, note=note
        )

    def _conclude(self) -> None:
        """The final mixture, the best policy by the run's own payoffs, the held-out evaluation.

        A challenge has none of them: its gains are what it is after.
        """
        if self.config.challenge:
            self.evaluated = self.finished = True
            return
        self.final = self._mixture(None, self.config.evaluation_solver)
        if self.final is None:
            return
        self.best = best_policy(self.population, self.cells)
        joined = [
            policy.index
            for policy in self.population
            if policy.iteration is not None and policy.withdrawn_by is None
        ]
        last = joined[-1] if joined else None
        self.held_out = held_out_scores(
            self.config, self.ask, final=self.final.sigma, best=self.best, last=last
        )
        self.evaluated = not self.pending
        if self.evaluated:
            self._revise(self.final)

    def _revise(self, final: Mixture) -> None:
        """What people changed after the final mixture was asked for; the scores stay."""
        self.final, self.finished = self.changes.revise(final, self.config.evaluation_solver)
        self.quality = self.final.quality

    def _state(self) -> RunState:
        faults = {policy.index: Counter[str]() for policy in self.population}
        for cell in self.cells:
            faults[cell.row].update(cell.faults_row)
            faults[cell.column].update(cell.faults_column)
        return RunState(
            population=tuple(
                replace(policy, faults=dict(faults[policy.index])) for policy in self.population
            ),
            cells=tuple(self.cells),
            iterations=tuple(self.iterations),
            candidates=tuple(self.candidates),
            final_sigma=self.final.sigma if self.final else None,
            final_sigma_low=self.final.low if self.final else None,
            final_sigma_high=self.final.high if self.final else None,
            best_policy=self.best,
            held_out=self.held_out,
            sandbox_level=self.sandbox_level,
            pending=tuple(self.pending),
            finished=self.finished,
            stop_reason=self.stop_reason,
            steps_done=self.done,
            steps_expected=self._expected(),
            usage=self.usage,
            decisions=self.decisions,
            quality=self.quality,
            changes=tuple(self.changes.records),
            evaluated=self.evaluated,
        )

    def _expected(self) -> int:
        """Steps done and pending, and an upper estimate of those that are still to come."""
        if self.finished:
            return self.done
        changed = self.changes.steps_to_come()
        if self.evaluated:
            return self.done + len(self.pending) + changed
        most_summaries = len(self.population) + self.config.iterations
        changed += self.changes.steps_asked
        changed += most_summaries if summaries.are_wanted(self.config) else 0
        return changed + plan.expected_steps(
            initial=len(initial_population(self.config)),
            iterations=self.config.iterations,
            proposals=most_proposals(self.config),
            held_out=0 if self.config.challenge else len(self.game.evaluation_population()),
        )


def _may_gain(gain: Estimate | None) -> bool:
    """Whether the best response may have gained; an unknown interval rules nothing out."""
    return gain is not None and (gain.low is None or gain.low > 0)
