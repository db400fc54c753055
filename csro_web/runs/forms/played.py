"""What is played: the game with its parameters, and what the run starts from."""

from __future__ import annotations

from typing import Any

from django import forms

from csro_web.runs.catalogue import game_choices
from csro_web.runs.forms.conditions import LOOPED
from csro_web.runs.forms.group import FieldGroup, Values, when, whole
from games.registry import game_names, get_game

PARAMETER_CHOICES = {
    ("leduc", "reveal"): [
        ("showdown", "only at a showdown, as in real poker"),
        ("always", "after every hand, as OpenSpiel shows it"),
    ],
}


def parameter_field(game: str, parameter: str) -> str:
    return f"param_{game}_{parameter}"


def parameters() -> dict[str, tuple[str, str, Any]]:
    """Field name to game, parameter and its default."""
    return {
        parameter_field(game, parameter): (game, parameter, default)
        for game in game_names()
        for parameter, default in get_game(game).default_params().items()
    }


def _make() -> dict[str, forms.Field]:
    made: dict[str, forms.Field] = {"game": forms.ChoiceField(choices=game_choices)}
    for name, (game, parameter, default) in parameters().items():
        made[name] = _parameter(game, parameter, default)
    made["initial"] = forms.CharField(
        label="Initial population",
        required=False,
        max_length=2000,
        help_text="Names with spaces between; bot:NAME takes a bot. Empty: the game's own.",
    )
    made["split"] = whole(
        0, 49, "Held-out split", "Trains on 33 of the 43 bots and holds out 10. Empty: no split."
    )
    return made


def _parameter(game: str, parameter: str, default: Any) -> forms.Field:
    label = f"{parameter.capitalize()} ({game})"
    choices = PARAMETER_CHOICES.get((game, parameter))
    if choices:
        return forms.ChoiceField(label=label, choices=choices, initial=default, required=False)
    return forms.CharField(label=label, initial=default, required=False, max_length=100)


def _more_config(cleaned: Values) -> dict[str, Any]:
    params = {
        parameter: cleaned[name]
        for name, (game, parameter, _) in parameters().items()
        if game == cleaned["game"] and cleaned.get(name)
    }
    return {"params": params, "initial": (cleaned.get("initial") or "").replace(",", " ").split()}


def _more_values(config: Values) -> dict[str, Any]:
    values = {
        parameter_field(str(config.get("game")), parameter): value
        for parameter, value in (config.get("params") or {}).items()
    }
    initial = config.get("initial")
    return {**values, "initial": " ".join(initial)} if initial else values


GROUP = FieldGroup(
    name="played",
    title="What is played",
    make=_make,
    plain=("game", "split"),
    field_when={
        "initial": LOOPED,
        "split": when(game=["rrps"]),
        **{name: when(game=[game]) for name, (game, *_) in parameters().items()},
    },
    folded=False,
    more_config=_more_config,
    more_values=_more_values,
)
