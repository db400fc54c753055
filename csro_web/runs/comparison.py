"""Held-out scores of several runs put together, and what each interval is over. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from games.metrics import estimate
from games.registry import get_game

METRICS = ("pop_return", "pop_expl", "agg_score")
SUBJECTS = ("final_mixture", "best_policy", "last_policy", "agent")


class Over(StrEnum):
    """What an interval of 95 % is over."""

    RUNS = "runs"
    EPISODES = "episodes"


@dataclass(frozen=True)
class Figure:
    """``low`` and ``high`` are None where they are unknown."""

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Score:
    """A subject's three figures over the runs of one condition."""

    subject: str
    runs: int
    over: Over
    pop_return: Figure
    pop_expl: Figure
    agg_score: Figure


def mean_over_runs(name: str, values: Sequence[float], *, game: str) -> Figure:
    """Mean and t interval of independent runs; of a single one the interval is unknown.

    ``name`` is one of :data:`METRICS`. That runs scored the same does not make it certain
    (:func:`games.metrics.unseen_share`).
    """
    largest = get_game(game).largest_payoff
    found = estimate(values, bound=2 * largest if name == "agg_score" else largest)
    return Figure(found.mean, found.low, found.high)


def scores(held_out: Sequence[Sequence[Mapping[str, Any]]], *, game: str) -> list[Score]:
    """Every subject that all runs have a score of. ``held_out``: a run's HeldOut as JSON, each.

    One run keeps its own intervals, over episodes; several get t intervals over runs.
    """
    by_subject = [
        {one["subject"]: one for one in run if one["pop_return"] is not None} for run in held_out
    ]
    return [
        _score(subject, [run[subject] for run in by_subject], game)
        for subject in SUBJECTS
        if by_subject and all(subject in run for run in by_subject)
    ]


def _score(subject: str, found: Sequence[Mapping[str, Any]], game: str) -> Score:
    if len(found) == 1:
        figures = {
            name: Figure(*(found[0][name][part] for part in ("mean", "low", "high")))
            for name in METRICS
        }
        return Score(subject, 1, Over.EPISODES, **figures)
    figures = {
        name: mean_over_runs(name, [one[name]["mean"] for one in found], game=game)
        for name in METRICS
    }
    return Score(subject, len(found), Over.RUNS, **figures)
