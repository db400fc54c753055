"""What a run may spend. Empty is no limit."""

from __future__ import annotations

from django import forms

from csro_web.runs.forms.conditions import ASKED
from csro_web.runs.forms.group import FieldGroup, number, whole


def _make() -> dict[str, forms.Field]:
    return {
        "budget_minutes": number(0, 10**9, "Minutes", "Of wall time; then nothing more is tried."),
        "budget_calls": whole(0, 10**12, "Model calls", "Every request that is sent counts."),
        "budget_tokens": whole(0, 10**12, "Tokens", "Prompts and answers together."),
        "budget_usd": number(
            0, 10**9, "US dollars", "A model of unknown price is not asked under such a limit."
        ),
    }


GROUP = FieldGroup(
    name="budget",
    title="Budget",
    words="What the run may spend. Empty is no limit. When it is spent, what was found stays.",
    make=_make,
    plain=("budget.minutes", "budget.calls", "budget.tokens", "budget.usd"),
    field_when={name: ASKED for name in ("budget_calls", "budget_tokens", "budget_usd")},
)
