"""What the page of an evolution says, from three queries whatever its size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from csro_web.policies.models import Candidate
from csro_web.runs.catalogue import facts_of
from csro_web.runs.charts import archive_map, fitness
from csro_web.runs.models import Iteration, Run
from games.behaviour import Axis
from games.registry import get_game
from oracles.alpha_evolve.cells import LENGTH_BINS, LINES_PER_BIN
from oracles.choices import OracleName
from oracles.failures import DUPLICATE
from oracles.state import Stage

SECTIONS = ("counts", "fitness", "islands", "map", "proposals")
ROWS_SHOWN = 200
_WANTED = (
    *("pk", "attempt", "accepted", "reason", "completion", "faults", "improved", "evolved"),
    *("score_mean", "score_low", "score_high", "episodes", "parent__pk", "parent__attempt"),
)


@dataclass(frozen=True)
class Proposal:
    """A candidate of the evolution, as far as its page tells of it."""

    pk: int
    attempt: int
    stage: str
    island: int
    """From 1, as people count."""
    css: str
    parent_pk: int | None
    parent_attempt: int | None
    mean: float | None
    low: float | None
    high: float | None
    episodes: int | None
    screen: Mapping[str, Any] | None
    improved: bool
    outcome: str
    """``duplicate``, ``refused``, ``no answer``, ``faults``, or its stage."""


@dataclass(frozen=True)
class EliteRow:
    proposal: Proposal
    island: int
    fitness: float
    behaviour: tuple[str, ...]
    length: str
    arrived_from: int | None


@dataclass(frozen=True)
class IslandRow:
    number: int
    css: str
    proposals: int
    programs: int
    best: Proposal | None


def has_evolution(run: Run) -> bool:
    return run.oracle == OracleName.ALPHA_EVOLVE


def context(run: Run, iteration: Iteration) -> dict[str, Any]:
    """Everything that the sections show."""
    rows = (
        Candidate.objects.filter(run=run, iteration=iteration.index, evolved__isnull=False)
        .order_by("attempt")
        .values(*_WANTED)
    )
    proposals = [_proposal(row) for row in rows]
    by_attempt = {one.attempt: one for one in proposals}
    database = iteration.evolution or {"elites": [], "migrations": []}
    axes = get_game(run.game, run.config["params"]).behaviour_axes()
    elites = [_elite(item, by_attempt, axes) for item in database["elites"]]
    return {
        "run": run,
        "iteration": iteration,
        "facts": facts_of(run),
        "axes": axes,
        "counts": counts(proposals),
        "proposals_read": len(proposals),
        "asked": run.config["proposals"],
        "chart": chart(proposals),
        "islands": islands(run, proposals, elites),
        "elites": elites,
        "map": archive_map.draw(axes, _best_by_place(database["elites"], by_attempt)),
        "migrations": [_migration(item, by_attempt) for item in database["migrations"]],
        "newest": proposals[: -ROWS_SHOWN - 1 : -1],
        "left_out": max(0, len(proposals) - ROWS_SHOWN),
    }


def _proposal(row: Mapping[str, Any]) -> Proposal:
    evolved = row["evolved"]
    return Proposal(
        pk=row["pk"],
        attempt=row["attempt"],
        stage=evolved["stage"],
        island=evolved["island"] + 1,
        css=fitness.island_css(evolved["island"]),
        parent_pk=row["parent__pk"],
        parent_attempt=row["parent__attempt"],
        mean=row["score_mean"],
        low=row["score_low"],
        high=row["score_high"],
        episodes=row["episodes"],
        screen=evolved["screen"],
        improved=bool(row["improved"]),
        outcome=_outcome(row),
    )


def _outcome(row: Mapping[str, Any]) -> str:
    if not row["accepted"]:
        if not row["completion"]:
            return "no answer"
        return "duplicate" if row["reason"].startswith(DUPLICATE) else "refused"
    return "faults" if row["faults"] else row["evolved"]["stage"]


def counts(proposals: Sequence[Proposal]) -> list[tuple[str, int]]:
    """How many proposals came to what, in the order in which they could have."""
    stages = [str(stage) for stage in Stage if stage is not Stage.REFUSED]
    found = [one.outcome for one in proposals]
    names = ("no answer", "refused", "duplicate", "faults", *stages)
    return [(name, found.count(name)) for name in names]


def chart(proposals: Sequence[Proposal]) -> fitness.FitnessChart | None:
    shown = []
    for one in proposals:
        if one.mean is not None:
            value, low, high = one.mean, one.low, one.high
        elif one.screen is not None:
            value, low, high = (one.screen[end] for end in ("mean", "low", "high"))
        else:
            continue
        full = one.mean is not None
        shown.append(
            fitness.Shown(one.attempt, one.pk, one.island - 1, full, one.improved, value, low, high)
        )
    played = {one.attempt for one in shown}
    return fitness.draw(shown, [one.attempt for one in proposals if one.attempt not in played])


def islands(run: Run, proposals: Sequence[Proposal], elites: Sequence[EliteRow]) -> list[IslandRow]:
    rows = []
    for number in range(1, run.config["evolution"]["islands"] + 1):
        mine = [elite for elite in elites if elite.island == number]
        best = max(mine, key=lambda elite: elite.fitness, default=None)
        rows.append(
            IslandRow(
                number=number,
                css=fitness.island_css(number - 1),
                proposals=sum(1 for one in proposals if one.island == number),
                programs=len(mine),
                best=best.proposal if best else None,
            )
        )
    return rows


def _elite(
    item: Mapping[str, Any], by_attempt: Mapping[int, Proposal], axes: Sequence[Axis]
) -> EliteRow:
    *bins, length = item["cell"]
    first = length * LINES_PER_BIN
    lines = f"{first} or more" if length == LENGTH_BINS - 1 else f"{first} to {first + 9}"
    came = item["arrived_from"]
    return EliteRow(
        proposal=by_attempt[item["attempt"]],
        island=item["island"] + 1,
        fitness=item["fitness"],
        behaviour=tuple(
            archive_map.bin_range(axis, number) for axis, number in zip(axes, bins, strict=True)
        ),
        length=lines,
        arrived_from=None if came is None else came + 1,
    )


def _best_by_place(
    elites: Sequence[Mapping[str, Any]], by_attempt: Mapping[int, Proposal]
) -> dict[archive_map.Place, tuple[int, int, float]]:
    best: dict[archive_map.Place, tuple[int, int, float]] = {}
    for item in elites:
        x, y = (*item["cell"][:-1], None, None)[:2]
        if x is None or y is None:
            continue
        if (x, y) not in best or item["fitness"] > best[x, y][2]:
            attempt = item["attempt"]
            best[x, y] = (attempt, by_attempt[attempt].pk, item["fitness"])
    return best


def _migration(item: Mapping[str, Any], by_attempt: Mapping[int, Proposal]) -> dict[str, Any]:
    return {
        "after": item["after"],
        "proposal": by_attempt[item["attempt"]],
        "source": item["source"] + 1,
        "target": item["target"] + 1,
    }
