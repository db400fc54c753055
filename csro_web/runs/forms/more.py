"""What few people change: meta-solvers, policies with faults, and the run's name."""

from __future__ import annotations

from typing import Any

from django import forms

from csro_web.runs.forms.conditions import LOOPED
from csro_web.runs.forms.group import FieldGroup, Values
from csro_web.runs.forms.words import choices
from oracles.config import SolverName


def _make() -> dict[str, forms.Field]:
    return {
        "name": forms.CharField(
            required=False, max_length=120, help_text="Optional; for people to find it again."
        ),
        "training_solver": _solver("Meta-solver of the search"),
        "evaluation_solver": _solver("Meta-solver of the final mixture"),
        "allow_faulty": forms.BooleanField(
            label="Let policies with faults join the population", required=False
        ),
    }


def _solver(label: str) -> forms.Field:
    return forms.ChoiceField(label=label, choices=choices(SolverName), required=False)


def _more_config(cleaned: Values) -> dict[str, Any]:
    return {"allow_faulty": bool(cleaned.get("allow_faulty"))}


def _more_values(config: Values) -> dict[str, Any]:
    return {"allow_faulty": True} if config.get("allow_faulty") else {}


GROUP = FieldGroup(
    name="more",
    title="More choices",
    make=_make,
    plain=("training_solver", "evaluation_solver"),
    field_when={name: LOOPED for name in ("training_solver", "evaluation_solver", "allow_faulty")},
    more_config=_more_config,
    more_values=_more_values,
)
