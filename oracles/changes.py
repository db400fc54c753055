"""What people change in a population, as a run's step results hold it.

A change is a step whose result a person supplies, ``change/1``, ``change/2``, ... It says itself
where it takes effect, so that the fold stays pure (docs/explanation/changes.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from oracles.steps import StepResult


class ChangeKind(StrEnum):
    COMMIT = "commit"
    """A program joins the population; it was edited from a member or imported."""
    WITHDRAW = "withdraw"
    """A member stays, with its row, but no mixture plays it."""
    RESTORE = "restore"
    """A withdrawn member may be played again."""


class ChangeOutcome(StrEnum):
    PENDING = "pending"
    """Its place in the run has not come, or its row is being played."""
    JOINED = "joined"
    REFUSED = "refused"
    DONE = "done"


@dataclass(frozen=True)
class Weights:
    """A mixture with the 95 % bootstrap range of each weight (empty while unknown)."""

    sigma: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class ChangeRecord:
    """One change and what became of it."""

    number: int
    kind: ChangeKind
    before: int | None
    """It takes effect before this iteration's mixture is solved, or before the final mixture when
    the loop ends earlier. None: the final mixture had been asked for, it is a revision."""
    outcome: ChangeOutcome = ChangeOutcome.PENDING
    policy: int | None = None
    """Index of the policy that joined or is affected; None for a commit that has not joined."""
    note: str = ""
    """Why it was refused."""
    source: str = ""
    """Of a commit, like the next three."""
    name: str = ""
    origin: str = ""
    """``edited`` or ``imported``."""
    parent: int | None = None
    """Index of the member that it was edited from; None for another run's, or none at all."""
    old: Weights | None = None
    """The mixture over the same members without this change; None until it is solved."""
    new: Weights | None = None
    """The mixture with it."""

    @property
    def withdraws(self) -> bool:
        """Whether it has taken a member out of the mixtures."""
        return self.kind is ChangeKind.WITHDRAW and self.outcome is ChangeOutcome.DONE


def change_key(number: int) -> str:
    return f"change/{number}"


def recorded_changes(results: Mapping[str, StepResult]) -> list[ChangeRecord]:
    """The changes of a run in order; their numbers have no gaps."""
    found: list[ChangeRecord] = []
    while (result := results.get(change_key(len(found) + 1))) is not None:
        found.append(_read(len(found) + 1, result))
    return found


def _read(number: int, result: StepResult) -> ChangeRecord:
    kind = ChangeKind(result["change"])
    if kind is not ChangeKind.COMMIT:
        return ChangeRecord(number, kind, result["before"], policy=result["policy"])
    return ChangeRecord(
        number,
        kind,
        result["before"],
        source=result["source"],
        name=result["name"],
        origin=result["origin"],
        parent=result["parent"],
    )


def commit_result(
    *, source: str, sha256: str, name: str, origin: str, parent: int | None, before: int | None
) -> StepResult:
    """The result of the step of a commit, as plain JSON data."""
    return {
        "change": str(ChangeKind.COMMIT),
        "source": source,
        "sha256": sha256,
        "name": name,
        "origin": origin,
        "parent": parent,
        "before": before,
    }


def standing_result(kind: ChangeKind, *, policy: int, before: int | None) -> StepResult:
    """The result of the step that withdraws or restores the member with index ``policy``."""
    return {"change": str(kind), "policy": policy, "before": before}
