"""What the pages say of trainings (PSRO-IMPALA)."""

from __future__ import annotations

from typing import Any

from csro_web.pages.numbers import duration
from csro_web.policies.models import Candidate
from csro_web.runs.charts import training
from csro_web.runs.models import Run


def of_run(run: Run) -> dict[str, Any]:
    """All trainings of the run with their chart; nothing for a run that trains none. 1 query."""
    trained = run.candidates.filter(training__isnull=False).only(
        "run", "iteration", "attempt", "training"
    )
    trainings = [facts(candidate) for candidate in trained]
    curves = [(f"iteration {one['iteration']}", one["curve"]) for one in trainings]
    return {"trainings": trainings, "training_chart": training.draw(curves)}


def of_candidate(candidate: Candidate) -> dict[str, Any]:
    """The candidate's own training with its chart; nothing when it was not trained."""
    if candidate.training is None:
        return {}
    one = facts(candidate)
    return {"training": one, "training_chart": training.draw([("", one["curve"])])}


def facts(candidate: Candidate) -> dict[str, Any]:
    told = candidate.training or {}
    curve = told["curve"]
    return {
        "candidate": candidate.pk,
        "iteration": candidate.iteration,
        "curve": curve,
        "first": curve[0] if curve else {},
        "last": curve[-1] if curve else {},
        "frames": f"{told['frames']:,}",
        "episodes": f"{told['episodes']:,}",
        "forfeits": told["forfeits"],
        "time": duration(told["seconds"]),
        "ended_early": told["ended_early"],
    }
