"""What the writer sees of the opponents."""

from __future__ import annotations

from django import forms

from csro_web.runs.forms.conditions import PROMPTED, PROPOSED
from csro_web.runs.forms.group import FieldGroup, whole
from csro_web.runs.forms.words import choices
from oracles.config import ContextMode, OpponentChoice


def _make() -> dict[str, forms.Field]:
    return {
        "context": forms.ChoiceField(
            label="Opponents are shown to the writer as",
            choices=choices(ContextMode),
            required=False,
        ),
        "opponents": forms.ChoiceField(
            label="Which opponents", choices=choices(OpponentChoice), required=False
        ),
        "context_tokens": whole(
            100,
            10_000_000,
            "Room for the opponents",
            "In tokens; the lightest are left out first. Empty: all fit.",
        ),
    }


GROUP = FieldGroup(
    name="context",
    title="What the writer sees",
    words="For every oracle that asks a writer; not for the baselines.",
    make=_make,
    plain=("context", "opponents", "context_tokens"),
    when=PROPOSED,
    field_when={"context_tokens": PROMPTED},
    folded=False,
)
