"""What the policy and candidate pages read, and in how many queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Q

from csro_web.pages.keys import row_number
from csro_web.policies.models import Candidate, Policy
from csro_web.policies.programs import HEAVY
from csro_web.runs.models import Cell, Run
from games.behaviour import Axis
from games.registry import get_game

CANDIDATES_PER_PAGE = 50
LONGEST_CHAIN = 200


@dataclass(frozen=True)
class PayoffRow:
    """The policy's payoff against one member of its population; None: not played."""

    opponent: Policy
    mean: float | None
    low: float | None
    high: float | None
    match_id: int | None
    weight: float | None


@dataclass(frozen=True)
class WeightRange:
    value: float
    low: float | None
    high: float | None


def payoff_rows(policy: Policy, members: Sequence[Policy]) -> list[PayoffRow]:
    """Against every member of the population, in the population's order. 1 query."""
    found: dict[int, tuple[float, float | None, float | None, int]] = {}
    mine = Cell.objects.filter(run_id=policy.run_id).filter(
        Q(row=policy.index) | Q(column=policy.index)
    )
    for cell in mine:
        if cell.row == policy.index:
            found[cell.column] = (cell.mean, cell.low, cell.high, cell.match_id)
        else:
            low = None if cell.high is None else -cell.high
            high = None if cell.low is None else -cell.low
            found[cell.row] = (-cell.mean, low, high, cell.match_id)
    sigma = newest_mixture(policy.run)
    return [
        PayoffRow(
            member,
            *found.get(member.index, (None, None, None, None)),
            weight=sigma[0][member.index] if member.index < len(sigma[0]) else None,
        )
        for member in members
        if member.index != policy.index
    ]


def newest_mixture(run: Run) -> tuple[list[float], list[float], list[float]]:
    """Weights with their lower and upper ends: final, else of the newest iteration."""
    if run.final_sigma is not None:
        return run.final_sigma, run.final_sigma_low or [], run.final_sigma_high or []
    known = getattr(run, "_newest_iteration", None)
    if known is None:
        known = run._newest_iteration = run.iterations.order_by("-index").first()  # type: ignore[attr-defined]
    return (known.sigma, known.sigma_low, known.sigma_high) if known else ([], [], [])


def weight_of(policy: Policy) -> WeightRange | None:
    """Its weight in the newest mixture that knows it."""
    values, lows, highs = newest_mixture(policy.run)
    if policy.index >= len(values):
        return None

    def at(ends: list[float]) -> float | None:
        return ends[policy.index] if policy.index < len(ends) else None

    return WeightRange(values[policy.index], at(lows), at(highs))


def members_of(run: Run) -> list[Policy]:
    """The population without its code, in order. 1 query."""
    return list(Policy.objects.filter(run=run).defer("source"))


def chain_to(candidate: Candidate) -> list[Candidate]:
    """From the first proposal to this candidate, each the parent of the next. 1 query."""
    same_search = Candidate.objects.filter(
        run_id=candidate.run_id, iteration=candidate.iteration
    ).defer(*HEAVY)
    by_id = {one.pk: one for one in same_search}
    chain = [by_id.get(candidate.pk, candidate)]
    while chain[-1].parent_id in by_id and len(chain) < LONGEST_CHAIN:
        parent = by_id[chain[-1].parent_id]
        if parent in chain:
            break
        chain.append(parent)
    return chain[::-1]


def inspirations_of(candidate: Candidate) -> list[Candidate]:
    """What an evolution showed its writer beside the parent. At most 1 query."""
    keys = candidate.evolved["inspirations"] if candidate.evolved else []
    if not keys:
        return []
    found = Candidate.objects.filter(run_id=candidate.run_id, key__in=keys)
    return list(found.only("pk", "attempt").order_by("attempt"))


def behaviour_of(candidate: Candidate) -> list[tuple[Axis, float | None]]:
    """How an evolution's program plays, by its game's axes; empty when it was not screened."""
    known = candidate.evolved["behaviour"] if candidate.evolved else []
    axes = get_game(candidate.run.game, candidate.run.config["params"]).behaviour_axes()
    return list(zip(axes, known, strict=True)) if known else []


def list_candidates(
    run: Run, *, iteration: str, only_trouble: bool, page_number: str | None
) -> Page[Candidate]:
    """One page of what the oracle tried, newest first. 2 queries."""
    found = run.candidates.defer(*HEAVY).order_by("-iteration", "-attempt")
    if (number := row_number(iteration)) is not None:
        found = found.filter(iteration=number)
    if only_trouble:
        found = found.filter(Q(accepted=False) | ~Q(faults={}))
    return Paginator(found, CANDIDATES_PER_PAGE).get_page(page_number)
