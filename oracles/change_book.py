"""Applies what people changed, each at its place, as far as a run's results go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from games.players import CodePlayer
from oracles import plan
from oracles.asking import Ask
from oracles.changes import (
    ChangeKind,
    ChangeOutcome,
    ChangeRecord,
    Weights,
    change_key,
    recorded_changes,
)
from oracles.config import RunConfig
from oracles.fingerprint import fingerprint
from oracles.mixture import Mixture, read_mixture
from oracles.population import cells_of, total_faults
from oracles.state import CellRecord, PolicyRecord, RunState
from oracles.steps import StepKind, StepResult, StepSpec


class ChangeBook:
    """Follows the changes of a run in order of their numbers.

    ``population`` and ``cells`` are the run's own lists: what joins is added to them.
    """

    def __init__(
        self,
        *,
        config: RunConfig,
        results: Mapping[str, StepResult],
        ask: Ask,
        population: list[PolicyRecord],
        cells: list[CellRecord],
    ) -> None:
        self._config = config
        self._asked_of = ask
        self.steps_asked = 0
        """For all changes so far, themselves included; done or pending."""
        self._population = population
        self._cells = cells
        self.records = recorded_changes(results)
        self._place = 0
        """Changes that have been applied or refused."""
        self._ask([StepSpec(change_key(one.number), StepKind.CHANGE) for one in self.records])

    @property
    def withdrawn(self) -> tuple[int, ...]:
        """Indexes of the members that no mixture plays."""
        return tuple(one.index for one in self._population if one.withdrawn_by is not None)

    def apply_before(self, iteration: int | None, solver: str) -> bool:
        """Apply what takes effect before an iteration, or before the final mixture (None).

        Whether all of it could be applied; else its next steps were asked for.
        """
        mixture: Mixture | None = None
        while (change := self._next()) is not None and change.before is not None:
            if iteration is not None and change.before > iteration:
                break
            applied, mixture = self._apply(change, mixture, solver)
            if not applied:
                return False
        return True

    def revise(self, final: Mixture, solver: str) -> tuple[Mixture, bool]:
        """Apply all that is left; the newest mixture, and whether all could be applied."""
        mixture = final
        while (change := self._next()) is not None:
            applied, newer = self._apply(change, mixture, solver)
            mixture = newer or mixture
            if not applied:
                return mixture, False
        return mixture, True

    def steps_to_come(self) -> int:
        """At most so many are still to be asked for, beside what is pending."""
        left = self.records[self._place :]
        if not left:
            return 0
        rows = [one for one in left[1:] if one.kind is ChangeKind.COMMIT]
        solved = len(left) - (left[0].outcome is not ChangeOutcome.PENDING)
        return 2 * solved + sum(
            len(plan.chunks(range(len(self._population) + grown), plan.CELLS_PER_STEP))
            for grown in range(1, len(rows) + 1)
        )

    def _ask(self, steps: Sequence[StepSpec]) -> list[StepResult | None]:
        self.steps_asked += len(steps)
        return self._asked_of(steps)

    def _next(self) -> ChangeRecord | None:
        return self.records[self._place] if self._place < len(self.records) else None

    def _apply(
        self, change: ChangeRecord, mixture: Mixture | None, solver: str
    ) -> tuple[bool, Mixture | None]:
        """Whether the change is settled, and the mixture with it (as it was where refused).

        ``mixture`` is the one without the change; None asks for it.
        """
        size, without = len(self._population), self.withdrawn
        if change.kind is ChangeKind.COMMIT:
            taken = self._join(change)
            if taken is None:
                return False, None
        else:
            taken = self._mark(change)
        if not taken:
            self._place += 1
            return True, mixture
        steps = [plan.change_solve(change.number, len(self._population), solver, self.withdrawn)]
        if mixture is None:
            steps.append(plan.change_base(change.number, size, solver, without))
        found = self._ask(steps)
        new, *base = [None if result is None else read_mixture(result) for result in found]
        old = base[0] if base else mixture
        self._note(old=_weights(old), new=_weights(new))
        if new is None or old is None:
            return False, None
        self._place += 1
        return True, new

    def _join(self, change: ChangeRecord) -> bool | None:
        """Whether the committed program joins; None while its row is not played."""
        twin = self._twin(change.source)
        if twin is not None:
            return self._refuse(
                f"it is the same program as {twin.name} (policy {twin.index}), apart from its"
                " layout and comments"
            )
        row = len(self._population)
        steps = plan.change_row(change.number, row, range(row))
        found = self._ask(steps)
        if any(result is None for result in found):
            return None
        cells = cells_of(steps, found)
        faults = total_faults(cell.faults_row for cell in cells)
        if faults and not self._config.allow_faulty:
            told = ", ".join(f"{kind} {count}" for kind, count in sorted(faults.items()))
            return self._refuse(f"it had faults when it was played ({told})")
        self._cells += cells
        self._population.append(
            PolicyRecord(
                index=row,
                name=change.name,
                origin=change.origin,
                player=CodePlayer(change.source),
                iteration=None,
                candidate_key=None,
                parents=() if change.parent is None else (change.parent,),
                change=change.number,
            )
        )
        self._note(outcome=ChangeOutcome.JOINED, policy=row)
        return True

    def _twin(self, source: str) -> PolicyRecord | None:
        """The member with the same program, withdrawn or not."""
        return same_program(self._population, source)

    def _mark(self, change: ChangeRecord) -> bool:
        """Withdraw or restore; whether that was possible."""
        index = change.policy
        if index is None or index >= len(self._population):
            return self._refuse("there is no such policy in the population")
        policy = self._population[index]
        if change.kind is ChangeKind.RESTORE:
            if policy.withdrawn_by is None:
                return self._refuse(f"{policy.name} is not withdrawn")
            self._population[index] = replace(policy, withdrawn_by=None)
        else:
            if policy.withdrawn_by is not None:
                return self._refuse(f"{policy.name} was withdrawn already")
            if len(self.withdrawn) + 1 == len(self._population):
                return self._refuse("no policy would be left to play")
            self._population[index] = replace(policy, withdrawn_by=change.number)
        self._note(outcome=ChangeOutcome.DONE)
        return True

    def _refuse(self, why: str) -> bool:
        self._note(outcome=ChangeOutcome.REFUSED, note=why)
        return False

    def _note(self, **found: object) -> None:
        self.records[self._place] = replace(self.records[self._place], **found)  # type: ignore[arg-type]


def same_program(population: Sequence[PolicyRecord], source: str) -> PolicyRecord | None:
    """The member whose program is ``source``, apart from layout, comments and docstrings."""
    mark = fingerprint(source)
    return next(
        (
            policy
            for policy in population
            if isinstance(policy.player, CodePlayer) and fingerprint(policy.player.source) == mark
        ),
        None,
    )


def _weights(mixture: Mixture | None) -> Weights | None:
    return None if mixture is None else Weights(mixture.sigma, mixture.low, mixture.high)


def next_place(config: RunConfig, state: RunState) -> int | None:
    """Where a change that is recorded now takes effect: see ``ChangeRecord.before``.

    The first iteration whose mixture has not been asked for, so that no step that was asked for
    ever sees another population.
    """
    asked = [step.key for step in state.pending]
    if state.final_sigma is not None or plan.solve(None, 0, "").key in asked:
        return None
    begun = len(state.iterations)
    return begun + 1 + (plan.solve(begun + 1, 0, "").key in asked)


def twin_of(state: RunState, source: str) -> PolicyRecord | ChangeRecord | None:
    """The member, or the commit that has not joined yet, with the same program."""
    member = same_program(state.population, source)
    if member is not None:
        return member
    mark = fingerprint(source)
    return next((one for one in pending_commits(state) if fingerprint(one.source) == mark), None)


def pending_commits(state: RunState) -> list[ChangeRecord]:
    return [
        one
        for one in state.changes
        if one.kind is ChangeKind.COMMIT and one.outcome is ChangeOutcome.PENDING
    ]


def withdrawn_in_the_end(state: RunState) -> frozenset[int]:
    """Indexes of the members that are withdrawn once all recorded changes have been applied."""
    found = {one.index for one in state.population if one.withdrawn_by is not None}
    for change in state.changes:
        if change.outcome is ChangeOutcome.PENDING and change.policy is not None:
            if change.kind is ChangeKind.WITHDRAW:
                found.add(change.policy)
            else:
                found.discard(change.policy)
    return frozenset(found)
