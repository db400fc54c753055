"""How much is played."""

from __future__ import annotations

from django import forms

from csro_web.runs.forms.conditions import LOOPED, SAMPLED
from csro_web.runs.forms.group import FieldGroup, whole
from games.registry import game_names
from oracles.config import defaults_for


def _make() -> dict[str, forms.Field]:
    return {
        name: whole(1, 10_000, label, f"Empty: the game's own number ({_told(name)}).")
        for name, label in (
            ("episodes", "Episodes per pair"),
            ("evaluation_episodes", "Episodes per held-out opponent"),
        )
    }


def _told(name: str) -> str:
    return ", ".join(f"{defaults_for(game)[name]} for {game}" for game in game_names())


GROUP = FieldGroup(
    name="sizes",
    title="How much is played",
    make=_make,
    plain=("episodes", "evaluation_episodes"),
    field_when={"episodes": LOOPED, "evaluation_episodes": SAMPLED},
    folded=False,
)
