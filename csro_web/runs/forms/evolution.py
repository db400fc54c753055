"""The program database of AlphaEvolve."""

from __future__ import annotations

from django import forms

from csro_web.runs.forms.conditions import EVOLVED
from csro_web.runs.forms.group import FieldGroup, whole


def _make() -> dict[str, forms.Field]:
    return {
        "evolution_islands": whole(1, 64, "Islands", "Populations that evolve apart,"),
        "evolution_window": whole(
            1, 256, "Proposals in work at once", "Each sees the results before these. W,"
        ),
        "evolution_migration": whole(
            1, 10_000, "Results between migrations", "Then the islands' best programs wander,"
        ),
        "evolution_screen_episodes": whole(
            1,
            10_000,
            "Episodes of the screening",
            "Per opponent, before a program is worth full matches; at most the episodes per pair,",
        ),
        "evolution_stagnation": whole(
            0, 100_000, "Stop after results without progress", "0 never stops for it,"
        ),
    }


GROUP = FieldGroup(
    name="evolution",
    title="Evolution",
    words="For the oracle AlphaEvolve.",
    make=_make,
    needed=True,
    plain=tuple(
        f"evolution.{name}"
        for name in ("islands", "window", "migration", "screen_episodes", "stagnation")
    ),
    when=EVOLVED,
)
