"""Whether one run is launched, or a prepared set of them."""

from __future__ import annotations

from django import forms

from csro_web.runs.forms.group import FieldGroup, whole
from csro_web.runs.prepared import IN_WORDS, MOST_REPLICATES, PreparedSet


def _make() -> dict[str, forms.Field]:
    one = [("", "One run, as described above")]
    return {
        "set": forms.ChoiceField(
            label="What is launched",
            choices=one + [(str(which), IN_WORDS[which]) for which in PreparedSet],
            required=False,
        ),
        "replicates": whole(
            1,
            MOST_REPLICATES,
            "Seeds per condition",
            "Only for sets: the seed above and the next ones. With two or more, intervals are"
            " over runs.",
        ),
    }


GROUP = FieldGroup(
    name="several",
    title="Several runs at once",
    words="A prepared set of runs with these choices, compared on a page of its own.",
    make=_make,
)
