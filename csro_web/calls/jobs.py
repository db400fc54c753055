"""Testing the connection to language models, from the launch form: workers alone have the keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from csro_web.calls.probe import probe
from csro_web.jobs.kinds import Surroundings, handles
from csro_web.jobs.models import Job
from games.engine import MatchCancelled
from oracles.options import ModelChoice, ModelRef
from oracles.text import storable

MODEL_TEST = "model_test"


@handles(MODEL_TEST, words="a test of a model")
def ask_models(job: Job, surroundings: Surroundings) -> Mapping[str, Any]:
    """One question to each of ``inputs["models"]`` (endpoint and model each)."""
    models = [ModelRef(**one) for one in job.inputs["models"]]
    found: list[dict[str, Any]] = []
    for number, ref in enumerate(models):
        surroundings.report(
            done=number, total=len(models), words=f"asking {ref.model}", partial=found
        )
        if surroundings.should_stop():
            raise MatchCancelled
        found.append(storable(asdict(probe(ModelChoice(models=(ref,))))))
    return {"models": found}
