"""Held-out scores as the pages show them: only after the run has ended, and every look counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F

from csro_web.runs.models import Run

SUBJECTS = {
    "final_mixture": "Final mixture",
    "best_policy": "Best policy",
    "last_policy": "Last policy",
    "agent": "The agent, asked at every turn",
}


APART = {
    "untuned": "opponents the writer was not tuned on",
    "seen": "opponents the search trained against, not in the figures above",
}
"""Parts of the opponents that are scored apart."""


@dataclass(frozen=True)
class OpponentRow:
    """One evaluation opponent with the score of each subject against it, in the subjects' order."""

    name: str
    scores: tuple[Mapping[str, Any] | None, ...]
    seen: bool = False
    """Whether the run's initial population had it: then it is in none of the subjects' figures."""
    exact: float | None = None
    """The exact payoff against it, where the policy was computed."""


@dataclass(frozen=True)
class HeldOutReport:
    """``subjects``: HeldOut as JSON, each with a ``title`` and the parts that are scored ``apart``;
    ``opponents``: the same by opponent."""

    subjects: tuple[dict[str, Any], ...]
    opponents: tuple[OpponentRow, ...]
    looks: int
    exact: Mapping[str, Any] | None = None
    """ExactFigures as JSON: the same without any sampling."""


def look(run: Run, *, policy_index: int | None = None) -> HeldOutReport | None:
    """The report of an ended run, counting this look; None while it goes on or without scores.

    With ``policy_index`` only what concerns that policy; None (and no look) if nothing does.
    """
    if not run.search_is_over or not run.held_out:
        return None
    subjects = [
        {
            **scores,
            "title": SUBJECTS.get(scores["subject"], scores["subject"]),
            "apart": [(words, scores[part]) for part, words in APART.items() if scores.get(part)],
        }
        for scores in run.held_out
        if policy_index is None or scores["policy"] == policy_index
    ]
    if not subjects:
        return None
    opponents = _by_opponent(subjects, run.exact)
    return HeldOutReport(tuple(subjects), opponents, count_look(run), run.exact)


def count_look(run: Run) -> int:
    """Somebody is shown held-out figures of the run: how often that was, this time included."""
    Run.objects.filter(pk=run.pk).update(held_out_looks=F("held_out_looks") + 1)
    run.held_out_looks += 1
    return run.held_out_looks


def _by_opponent(
    subjects: list[dict[str, Any]], exact: Mapping[str, Any] | None
) -> tuple[OpponentRow, ...]:
    scores = [{one["name"]: one for one in subject["opponents"]} for subject in subjects]
    names = list(dict.fromkeys(name for by_name in scores for name in by_name))
    rows = [(name, tuple(by_name.get(name) for by_name in scores)) for name in names]
    values = exact["opponents"] if exact else {}
    return tuple(
        OpponentRow(
            name, found, any(score and score.get("seen") for score in found), values.get(name)
        )
        for name, found in rows
    )
