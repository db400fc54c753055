"""The launch form: every choice of a run, filled in so that a newcomer only presses Launch."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.models import AnonymousUser
from django.forms.boundfield import BoundField

from csro_web.accounts.ownership import Somebody, visible
from csro_web.pages.keys import row_number
from csro_web.runs.forms import (
    audience,
    baselines,
    budget,
    context,
    evolution,
    models,
    more,
    played,
    prompts,
    search,
    several,
    sizes,
)
from csro_web.runs.forms.group import FieldGroup, as_attribute, holds
from csro_web.runs.models import Run
from csro_web.runs.prepared import PreparedSet, plan
from games.registry import game_names
from oracles.config import ConfigError, RunConfig, defaults_for

GROUPS = (
    played.GROUP,
    search.GROUP,
    models.GROUP,
    context.GROUP,
    sizes.GROUP,
    budget.GROUP,
    evolution.GROUP,
    baselines.GROUP,
    prompts.GROUP,
    audience.GROUP,
    more.GROUP,
    several.GROUP,
)
ELSEWHERE = {"params": "game", "model": "model_models", "challenge": "game"}
"""The field for a configuration error that names none of ours."""


@dataclass(frozen=True)
class ShownField:
    bound: BoundField
    when: str
    """Attribute that tells the page's script when to show it; empty for always."""


@dataclass(frozen=True)
class ShownGroup:
    """A group as the page shows it, with or without scripts."""

    group: FieldGroup
    fields: tuple[ShownField, ...]
    when: str
    opened: bool
    """Whether it stands open: something in it is wrong, or must be filled in."""


class LaunchForm(forms.Form):
    """Cleaned data holds ``config``, a :class:`RunConfig`, when everything fits together.

    ``planned`` holds the runs of the prepared set that is to be launched, if one is.
    """

    offered_groups: tuple[FieldGroup, ...] = GROUPS

    def __init__(self, *args: Any, person: Somebody | None = None, **kwargs: Any) -> None:
        """``person``: who launches, and so for which teams, and what may be repeated."""
        super().__init__(*args, **kwargs)
        self.person = person or AnonymousUser()
        for group in self.offered_groups:
            self.fields.update(group.make())
        if audience.TEAM in self.fields:
            audience.offer(self.fields[audience.TEAM], self.person)
        self.adapt_fields()
        for bound in self:
            bound.field.widget.attrs["aria-describedby"] = f"{bound.auto_id}-notes"
            if self.is_bound and bound.errors:
                bound.field.widget.attrs["aria-invalid"] = "true"

    def adapt_fields(self) -> None:
        """For forms that offer less: called before anything is read or checked."""

    def groups(self) -> list[ShownGroup]:
        values = {name: self[name].value() for name in ("oracle", "writer", "game")}
        return [self._shown(group, values) for group in self.offered_groups]

    def _shown(self, group: FieldGroup, values: Mapping[str, Any]) -> ShownGroup:
        fields = tuple(
            ShownField(self[name], as_attribute(group.field_when.get(name, ())))
            for name in group.make()
        )
        wrong = any(shown.bound.errors for shown in fields)
        opened = wrong or (group.needed and holds(group.when, values))
        return ShownGroup(group, fields, as_attribute(group.when), opened)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        self._forget_what_does_not_matter(cleaned)
        if self.errors:
            return cleaned
        repeats = search.GROUP.matters("recording", cleaned)
        if repeats and not self._is_recorded(cleaned["recording"]):
            self.add_error("recording", "There is no such run; give the number of one.")
            return cleaned
        try:
            config = cleaned["config"] = self.config_of(cleaned)
            if cleaned.get("set"):
                which, replicates = PreparedSet(cleaned["set"]), cleaned["replicates"] or 1
                cleaned["planned"] = plan(which, config, replicates)
        except ConfigError as error:
            self.add_error(self._field_of(str(error), cleaned["game"]), str(error))
        return cleaned

    def config_of(self, cleaned: Mapping[str, Any]) -> RunConfig:
        """
        Raises:
            ConfigError: when no such run can be.
        """
        return RunConfig.from_json(self.described(cleaned))

    def described(self, cleaned: Mapping[str, Any]) -> dict[str, Any]:
        """What :meth:`RunConfig.from_json` takes, out of the form's cleaned fields."""
        return config_json(cleaned, self.offered_groups)

    def _forget_what_does_not_matter(self, cleaned: dict[str, Any]) -> None:
        """A mistake in a field that this run does not use keeps nobody from launching it."""
        if not {"game", "oracle", "writer"} <= cleaned.keys():
            return
        for group in self.offered_groups:
            for name in group.make():
                if name in self.errors and not group.matters(name, cleaned):
                    del self.errors[name]

    def _is_recorded(self, recording: str) -> bool:
        number = row_number(recording)
        runs = visible(Run.objects.all(), self.person, path="")
        return number is not None and runs.filter(pk=number).exists()

    def _field_of(self, message: str, game: str) -> str | None:
        """The field that a configuration error is about.

        It begins with the field (``seed is -1; ...``), or with its group and then the field
        (``evolution: islands is 0; ...``); one about a prompt quotes the prompt's name.
        """
        first, *rest = message.split(maxsplit=2)
        place = first.rstrip(":")
        if first.endswith(":") and rest and f"{place}_{rest[0]}" in self.fields:
            return f"{place}_{rest[0]}"
        if place == "params":
            own = (name for name, (owner, *_) in played.parameters().items() if owner == game)
            return next(own, "game")
        if place == "prompts":
            quoted = (prompts.PREFIX + word.strip("';:") for word in message.split())
            return next((name for name in quoted if name in self.fields), None)
        return place if place in self.fields else ELSEWHERE.get(place)


def config_json(
    cleaned: Mapping[str, Any], groups: Sequence[FieldGroup] = GROUPS
) -> dict[str, Any]:
    """What :meth:`RunConfig.from_json` takes, out of the cleaned fields of these groups."""
    config: dict[str, Any] = {}
    for group in groups:
        config.update(group.to_config(cleaned))
    return config


def form_values(config: Mapping[str, Any]) -> dict[str, Any]:
    """What the form opens with to describe ``config``, a stored run's or :meth:`to_json`'s."""
    values: dict[str, Any] = {}
    for group in GROUPS:
        values.update(group.to_values(config))
    return values


def first_values() -> dict[str, Any]:
    """What the form opens with: the defaults, and a seed that no earlier run is likely to have."""
    game = game_names()[0]
    values = form_values(RunConfig.from_json({"game": game}).to_json())
    own = {name: value for name, value in values.items() if name not in defaults_for(game)}
    return {**own, "seed": secrets.randbelow(1_000_000)}
