"""The form of a challenge: the launch form's own fields, without those that say what is played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from csro_web.challenges.services import config_of
from csro_web.challenges.targets import Target
from csro_web.runs.forms import baselines, budget, context, evolution, models, prompts, search
from csro_web.runs.forms.group import FieldGroup, whole
from csro_web.runs.forms.launch import LaunchForm
from oracles.choices import UNTRAINED
from oracles.config import RunConfig, defaults_for

_SIZES = FieldGroup(
    name="sizes",
    title="How much is played",
    make=lambda: {
        "episodes": whole(
            1, 10_000, "Episodes", "Against each opponent, in the search and again at its end."
        )
    },
    plain=("episodes",),
    folded=False,
)


class ChallengeForm(LaunchForm):
    """Cleaned data holds ``config``: the run that challenges ``target``."""

    offered_groups = (
        *(search.GROUP, _SIZES, models.GROUP, context.GROUP, budget.GROUP),
        *(evolution.GROUP, baselines.GROUP, prompts.GROUP),
    )

    def __init__(self, target: Target, *args: Any, **kwargs: Any) -> None:
        self.target = target
        super().__init__(*args, **kwargs)

    def adapt_fields(self) -> None:
        self.fields["game"] = forms.CharField(widget=forms.HiddenInput, required=False)
        oracle = self.fields["oracle"]
        assert isinstance(oracle, forms.ChoiceField)
        oracle.choices = [
            choice for choice in oracle.choices if choice[0] not in [str(one) for one in UNTRAINED]
        ]
        tries = self.fields["iterations"]
        tries.label, tries.help_text = "Independent tries", "Each begins from nothing. 1 to 200."

    def clean_game(self) -> str:
        """What is played is the target's to say."""
        return self.target.game

    def config_of(self, cleaned: Mapping[str, Any]) -> RunConfig:
        return config_of(self.target, self.described(cleaned))

    @classmethod
    def opening(cls, target: Target, first: Mapping[str, Any]) -> dict[str, Any]:
        """What the form opens with, out of the launch form's first values."""
        sizes = {"episodes": defaults_for(target.game).get("episodes")}
        return {**first, **sizes, "game": target.game, "iterations": 1}
