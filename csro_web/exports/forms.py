"""What a person asks to be exported."""

from __future__ import annotations

from typing import Any

from django import forms

from csro_web.policies.models import Origin, Policy
from csro_web.runs.models import Run

APPROVED, DRAFT, POLICY = "approved", "draft", "policy"
WHAT = [
    (APPROVED, "All approved policies, with their mixture solved anew"),
    (DRAFT, "A draft of all policies, approved or not; every page of it is marked"),
    (POLICY, "One policy"),
]


class ExportForm(forms.Form):
    what = forms.ChoiceField(choices=WHAT, widget=forms.RadioSelect, label="What is handed over")
    policy = forms.ModelChoiceField(
        queryset=Policy.objects.none(),
        required=False,
        empty_label="choose one",
        label="Which one",
    )
    draft = forms.BooleanField(
        required=False, label="As a draft, also if nobody approved it (for one policy)"
    )

    def __init__(self, run: Run, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        programs = Policy.objects.filter(run=run).exclude(origin=Origin.BOT).defer("source")
        self.fields["policy"].queryset = programs.order_by("index")  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        if found.get("what") == POLICY and not found.get("policy") and "policy" not in self.errors:
            self.add_error("policy", "Choose the policy.")
        return found

    @property
    def chosen(self) -> tuple[Policy | None, bool]:
        """The one policy (None: all), and whether it is a draft; for a valid form."""
        what = self.cleaned_data["what"]
        if what == POLICY:
            return self.cleaned_data["policy"], self.cleaned_data["draft"]
        return None, what == DRAFT
