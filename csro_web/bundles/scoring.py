"""Scores over opponents as a manifest lists them, from the payoffs of their matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from csro_web.bundles.matches import Sample, Samples, full_estimate_row
from games.metrics import PopulationScore, population_score

FIGURES = ("pop_return", "pop_expl", "agg_score")


def figures(score: PopulationScore) -> dict[str, Any]:
    return {name: full_estimate_row(getattr(score, name)) for name in FIGURES}


def score_rows(opponents: Sequence[Mapping[str, Any]], samples: Samples) -> dict[str, Any]:
    """The three figures over those ``opponents`` that the search had not ``seen``.

    Each is ``{"name", "match", "seen"}``.
    """
    fresh = [samples[one["match"]] for one in opponents if not one["seen"]]
    return figures(
        population_score([one.payoffs for one in fresh], bounds=[one.bound for one in fresh])
    )


def opponent_row(
    name: str, match: str, sample: Sample, *, seed: int, seen: bool = False
) -> dict[str, Any]:
    found = full_estimate_row(sample.estimate)
    return {"name": name, "match": match, "seed": seed, "seen": seen, **found}
