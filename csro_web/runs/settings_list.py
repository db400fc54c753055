"""A run's configuration as a person reads it, and as the launch form takes it again."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from csro_web.runs.models import Run

LABELS = {
    "game": "Game",
    "oracle": "Oracle",
    "writer": "Writer",
    "context": "Opponents are shown as",
    "opponents": "Opponents shown",
    "iterations": "Iterations",
    "episodes": "Episodes per pair",
    "evaluation_episodes": "Episodes per held-out opponent",
    "refinements": "Refinements (M)",
    "target": "Refinement target",
    "training_solver": "Training meta-solver",
    "evaluation_solver": "Evaluation meta-solver",
    "allow_faulty": "Policies with faults may join",
    "seed": "Seed",
    "recording": "Recording",
}


def settings_of(run: Run) -> list[tuple[str, str]]:
    """Label and value of every choice, in a stable order."""
    config = run.config
    shown = [
        (label, _in_words(config[key]))
        for key, label in LABELS.items()
        if config.get(key) not in (None, "")
    ]
    shown += [(f"Parameter {key}", str(value)) for key, value in config.get("params", {}).items()]
    shown.append(("Initial population", ", ".join(config.get("initial") or ["the game's own"])))
    return shown


def again_query(run: Run) -> str:
    """Query string with which the launch form opens as this run was launched."""
    config = run.config
    fields = {
        key: config[key]
        for key in LABELS
        if key in config and not isinstance(config[key], bool) and config[key] not in (None, "")
    }
    if config.get("allow_faulty"):
        fields["allow_faulty"] = "on"
    if config.get("initial"):
        fields["initial"] = " ".join(config["initial"])
    for key, value in config.get("params", {}).items():
        fields[f"param_{config.get('game')}_{key}"] = value
    return urlencode(fields)


def _in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("_", " ") if isinstance(value, str) else str(value)
