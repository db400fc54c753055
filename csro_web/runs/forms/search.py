"""Who searches for best responses, who writes the programs, and how long."""

from __future__ import annotations

from django import forms

from csro_web.runs.forms.conditions import COUNTED, LOOPED, PROPOSED, RECORDED, REFINED
from csro_web.runs.forms.group import FieldGroup, whole
from csro_web.runs.forms.words import choices
from oracles.config import OracleName, WriterName

LARGEST_SEED = 2**63 - 1


def _make() -> dict[str, forms.Field]:
    return {
        "oracle": forms.ChoiceField(choices=choices(OracleName)),
        "writer": forms.ChoiceField(
            label="Who writes", choices=choices(WriterName), required=False
        ),
        "recording": forms.CharField(
            label="Recorded run",
            required=False,
            max_length=200,
            help_text="For the writer replay: the number of the run.",
        ),
        "iterations": whole(1, 200, "Iterations", "Best responses to add,"),
        "refinements": whole(
            1, 100, "Refinements per best response", "M of linear refinement, the first included,"
        ),
        "target": forms.FloatField(
            label="Refinement target",
            required=False,
            help_text="Refining stops once the gain against the mixture reaches this. "
            "Empty: the game's own, which is never reached. 0: the paper's rule.",
        ),
        "proposals": whole(
            1, 10_000, "Proposals per best response", "For best of N and AlphaEvolve,"
        ),
        "seed": forms.IntegerField(
            min_value=0,
            max_value=LARGEST_SEED,
            required=False,
            help_text="The same seed and choices give the same numbers.",
        ),
    }


GROUP = FieldGroup(
    name="search",
    title="Who searches",
    make=_make,
    plain=(
        *("oracle", "writer", "recording", "iterations"),
        *("refinements", "target", "proposals", "seed"),
    ),
    field_when={
        "writer": PROPOSED,
        "recording": RECORDED,
        "iterations": LOOPED,
        "refinements": REFINED,
        "target": REFINED,
        "proposals": COUNTED,
    },
    folded=False,
)
