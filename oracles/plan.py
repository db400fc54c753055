"""Which steps a run consists of: their keys, inputs and labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from oracles.search import Proposal
from oracles.steps import StepKind, StepSpec

CELLS_PER_STEP = 4
"""Matches of one step: seconds of work, so that a kill loses little and workers share a row."""
HELD_OUT_PER_STEP = 4
_USUAL_SCORE_STEPS = 2
"""Score steps of one proposal: the support of an equilibrium seldom has more than 8 policies."""
MIXTURE = "mixture"
"""Stands for the final mixture where other subjects have a population index."""


def chunks(items: Sequence[int], size: int) -> list[list[int]]:
    """``items`` in order, cut into pieces of ``size``; the cut depends on nothing else."""
    return [list(items[start : start + size]) for start in range(0, len(items), size)]


def initial_row(row: int) -> list[StepSpec]:
    """The cells of an initial policy against those before it."""
    return [
        StepSpec(
            f"initial/row{row}/{part}",
            StepKind.PLAY,
            {"row": row, "columns": columns, "candidate": None},
            f"initial population: playing policy {row}",
        )
        for part, columns in enumerate(chunks(range(row), CELLS_PER_STEP))
    ]


def joining_row(iteration: int, row: int, candidate: str, columns: Sequence[int]) -> list[StepSpec]:
    """The cells of a best response against ``columns`` of the population, on fresh seeds."""
    return [
        StepSpec(
            f"it{iteration}/row/{part}",
            StepKind.PLAY,
            {"row": row, "columns": some, "candidate": candidate},
            f"iteration {iteration}: playing the best response against the population",
        )
        for part, some in enumerate(chunks(columns, CELLS_PER_STEP))
    ]


def solve(iteration: int | None, size: int, solver: str, without: Sequence[int] = ()) -> StepSpec:
    """The mixture that an iteration starts from, or the final one (None)."""
    place = "final" if iteration is None else f"it{iteration}"
    what = "the final mixture" if iteration is None else f"iteration {iteration}: the mixture"
    return _solve(f"{place}/solve", what, size, solver, without)


def _solve(key: str, what: str, size: int, solver: str, without: Sequence[int]) -> StepSpec:
    """``without``, the withdrawn policies, stands in the inputs only where there are any."""
    inputs: dict[str, Any] = {"policies": size, "solver": solver}
    if without:
        inputs["without"] = list(without)
    return StepSpec(key, StepKind.SOLVE, inputs, f"{what} over {size - len(without)} policies")


def change_row(number: int, row: int, columns: Sequence[int]) -> list[StepSpec]:
    """The cells of a policy that a person committed, on seeds of their own."""
    return [
        StepSpec(
            f"change/{number}/row/{part}",
            StepKind.PLAY,
            {"row": row, "columns": some, "candidate": None, "change": number},
            f"change {number}: playing the committed policy against the population",
        )
        for part, some in enumerate(chunks(columns, CELLS_PER_STEP))
    ]


def change_base(number: int, size: int, solver: str, without: Sequence[int]) -> StepSpec:
    """The mixture as it would be without the change."""
    return _solve(
        f"change/{number}/base", f"change {number}: the mixture before", size, solver, without
    )


def change_solve(number: int, size: int, solver: str, without: Sequence[int]) -> StepSpec:
    """The mixture with the change."""
    return _solve(f"change/{number}/solve", f"change {number}: the mixture", size, solver, without)


def candidate_key(iteration: int, attempt: int) -> str:
    return f"it{iteration}/attempt{attempt}"


def parent_key(iteration: int, proposal: Proposal) -> str | None:
    """Key of the candidate that ``proposal`` refines; None for a fresh program."""
    return None if proposal.parent is None else candidate_key(iteration, proposal.parent + 1)


def write(iteration: int, proposal: Proposal) -> StepSpec:
    """``inspirations`` and ``knows`` stand in the inputs only where they are said."""
    parent = parent_key(iteration, proposal)
    inputs: dict[str, Any] = {
        "iteration": iteration,
        "attempt": proposal.attempt,
        "incumbent": parent,
    }
    if proposal.inspirations:
        inputs["inspirations"] = [
            candidate_key(iteration, index + 1) for index in proposal.inspirations
        ]
    if proposal.knows is not None:
        inputs["knows"] = proposal.knows
    kind = "proposal" if parent is None else "refinement"
    return StepSpec(
        f"{candidate_key(iteration, proposal.attempt)}/write",
        StepKind.WRITE,
        inputs,
        f"iteration {iteration}: writing {kind} {proposal.attempt}",
    )


def train(iteration: int, attempt: int) -> StepSpec:
    """A best response by reinforcement learning, in the place of a written one."""
    return StepSpec(
        f"{candidate_key(iteration, attempt)}/train",
        StepKind.TRAIN,
        {"iteration": iteration, "attempt": attempt},
        f"iteration {iteration}: training a network against the mixture",
    )


def smoke(iteration: int, attempt: int, opponent: int) -> StepSpec:
    """One episode against the heaviest opponent: what cannot play is found out cheaply."""
    return StepSpec(
        f"{candidate_key(iteration, attempt)}/smoke",
        StepKind.SCORE,
        {
            "candidate": candidate_key(iteration, attempt),
            "iteration": iteration,
            "opponents": [opponent],
            "smoke": True,
        },
        f"iteration {iteration}: trying proposal {attempt} in one episode",
    )


def screen(iteration: int, attempt: int, opponents: Sequence[int], episodes: int) -> list[StepSpec]:
    """A few episodes against each opponent: what is not worth more is found out cheaply."""
    return [
        StepSpec(
            f"{candidate_key(iteration, attempt)}/screen/{part}",
            StepKind.SCORE,
            {
                "candidate": candidate_key(iteration, attempt),
                "iteration": iteration,
                "opponents": some,
                "screen": episodes,
            },
            f"iteration {iteration}: screening proposal {attempt}",
        )
        for part, some in enumerate(chunks(opponents, CELLS_PER_STEP))
    ]


def score(iteration: int, attempt: int, opponents: Sequence[int]) -> list[StepSpec]:
    return [
        StepSpec(
            f"{candidate_key(iteration, attempt)}/score/{part}",
            StepKind.SCORE,
            {
                "candidate": candidate_key(iteration, attempt),
                "iteration": iteration,
                "opponents": some,
                "smoke": False,
            },
            f"iteration {iteration}: playing proposal {attempt}",
        )
        for part, some in enumerate(chunks(opponents, CELLS_PER_STEP))
    ]


def evaluate(player: int | str, opponents: int) -> list[StepSpec]:
    """``player`` (population index or :data:`MIXTURE`) against all held-out opponents."""
    subject = "the final mixture" if player == MIXTURE else f"policy {player}"
    return [
        StepSpec(
            f"evaluate/{player}/{part}",
            StepKind.EVALUATE,
            {"player": player, "opponents": some},
            f"held-out evaluation of {subject}",
        )
        for part, some in enumerate(chunks(range(opponents), HELD_OUT_PER_STEP))
    ]


def expected_steps(*, initial: int, iterations: int, proposals: int, held_out: int) -> int:
    """An estimate of a run's steps that few runs exceed, from what is known when it starts."""
    rows = sum(len(chunks(range(row), CELLS_PER_STEP)) for row in range(initial))
    attempts = proposals * (2 + _USUAL_SCORE_STEPS)
    later = sum(
        1 + attempts + len(chunks(range(row), CELLS_PER_STEP))
        for row in range(initial, initial + iterations)
    )
    return rows + later + 1 + 3 * len(chunks(range(held_out), HELD_OUT_PER_STEP))
