"""Every figure of a manifest beside the one that its matches' payoffs give."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from csro_web.bundles.matches import Samples
from csro_web.bundles.scoring import FIGURES, score_rows
from csro_web.bundles.solving import cell_records, mixture_rows
from games.metagame import MetaGameError

_RELATIVE, _ABSOLUTE = 1e-9, 1e-7
"""Sums may be taken in another order by another machine's linear algebra."""


@dataclass(frozen=True)
class Figure:
    name: str
    stated: float | None
    computed: float | None

    @property
    def agrees(self) -> bool:
        if self.stated is None or self.computed is None:
            return self.stated is None and self.computed is None
        return math.isclose(self.stated, self.computed, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def recomputed(manifest: Mapping[str, Any], samples: Samples) -> Iterator[Figure]:
    """Cells, mixtures, what leaving out costs, and scores.

    Scores whose matches are not in the bundle are passed over: the manifest says so.
    """
    for cell in manifest["cells"]:
        found = samples[cell["match"]].estimate
        name = f"cell {cell['row']}, {cell['column']}"
        yield from _parts(name, cell, vars(found))
    if manifest["mixture"] is not None:
        yield from _mixture(manifest, samples)
    for scores in manifest["evaluations"]:
        yield from _scores(scores, samples)


def _parts(name: str, stated: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[Figure]:
    for part in ("mean", "low", "high"):
        yield Figure(f"{name}, {part}", stated[part], found[part])
    if "episodes" in stated:
        yield Figure(f"{name}, episodes", stated["episodes"], found["episodes"])


def _mixture(manifest: Mapping[str, Any], samples: Samples) -> Iterator[Figure]:
    stated = manifest["mixture"]
    included = [row["index"] for row in manifest["population"] if row["included"]]
    active = [row["index"] for row in manifest["population"] if row["withdrawn_by"] is None]
    yield from _same_members("the exported mixture", stated["exported"]["members"], included)
    yield from _same_members("the full mixture", stated["full"]["members"], active)
    try:
        found = mixture_rows(
            cell_records(manifest["cells"], samples),
            size=len(manifest["population"]),
            active=active,
            keep=included,
            solver=stated["solver"],
            seed=stated["seed"],
        )
    except MetaGameError as error:
        raise ValueError(f"the mixture cannot be solved: {str(error)[:200]}") from error
    for which in ("full", "exported"):
        for part in ("weights", "low", "high"):
            mine, theirs = stated[which][part], found[which][part]
            if len(mine) != len(theirs):
                raise ValueError(f"{which} mixture: {len(mine)} {part} for {len(theirs)} policies")
            for index, (old, new) in enumerate(zip(mine, theirs, strict=True)):
                yield Figure(f"{which} mixture, {part} of policy {index}", old, new)
    for name, value in found["cost"].items():
        yield from _parts(name.replace("_", " "), stated["cost"][name], value)


def _same_members(name: str, stated: Sequence[int], expected: Sequence[int]) -> Iterator[Figure]:
    if list(stated) != list(expected):
        raise ValueError(f"{name} is over {list(stated)} and the population says {list(expected)}")
    yield Figure(f"{name}, number of members", len(stated), len(expected))


def _scores(scores: Mapping[str, Any], samples: Samples) -> Iterator[Figure]:
    subject = str(scores["subject"]).replace("_", " ")
    known = [one for one in scores["opponents"] if one["match"] is not None]
    for one in known:
        found = vars(samples[one["match"]].estimate)
        yield from _parts(f"{subject} against {one['name']}", one, found)
    if len(known) == len(scores["opponents"]):
        figures = score_rows(known, samples)
        for name in FIGURES:
            yield from _parts(f"{subject}, {name}", scores[name], figures[name])
