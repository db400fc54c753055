"""A run's configuration as a person reads it: every choice that matters for it, and only those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms

from csro_web.runs.forms.launch import GROUPS, form_values
from csro_web.runs.forms.prompts import PromptField
from csro_web.runs.models import Run

NOT_IN_A_CHALLENGE = frozenset(
    {"initial", "split", "evaluation_episodes", "training_solver", "evaluation_solver"}
)
"""A challenge's opponents are frozen, no mixture is solved, and nothing is held out."""


def settings_of(run: Run) -> list[tuple[str, str]]:
    """Label and value of every choice that the run's numbers depend on, in the form's order."""
    values = form_values(run.config)
    return [
        (str(field.label or name.replace("_", " ").capitalize()), words)
        for name, field in _fields_that_matter(values)
        if not (run.is_challenge and name in NOT_IN_A_CHALLENGE)
        for words in _in_words(field, values.get(name))
    ]


def _fields_that_matter(values: Mapping[str, Any]) -> Iterator[tuple[str, forms.Field]]:
    for group in GROUPS:
        for name, field in group.make().items():
            if group.matters(name, values):
                yield name, field


def _in_words(field: forms.Field, value: Any) -> list[str]:
    """The value as one text; none for what was left open."""
    if value in (None, "", []):
        return []
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(field, forms.ChoiceField):
        return [str(dict(field.choices).get(value, str(value).replace("_", " ")))]
    if isinstance(field, PromptField):
        return [f"edited, {len(value):,} characters"] if field.differs(value) else []
    return [str(field.prepare_value(value))]
