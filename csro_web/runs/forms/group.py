"""What a group of fields is: its fields, when they matter, and its way to a run's configuration.

A field is named after its place in :class:`oracles.config.RunConfig`, with an underscore for the
dot: ``evolution_islands`` is ``evolution.islands``. So configuration errors find their field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms

Values = Mapping[str, Any]
"""Field names to values: cleaned data, or what a form opens with."""
Condition = tuple[Mapping[str, frozenset[str]], ...]
"""Alternatives. Each maps fields (``oracle``, ``writer``, ``game``) to the values that fit; all of
them must. Without alternatives it always holds."""

ALWAYS: Condition = ()


def when(**choices: Iterable[str]) -> Condition:
    """One alternative: ``when(oracle=["alpha_evolve"], writer=["llm"])``."""
    return ({name: frozenset(str(one) for one in some) for name, some in choices.items()},)


def holds(condition: Condition, values: Values) -> bool:
    return not condition or any(
        all(str(values.get(name, "")) in some for name, some in alternative.items())
        for alternative in condition
    )


def as_attribute(condition: Condition) -> str:
    """For ``data-when``: ``oracle=a|b&writer=llm``, alternatives separated by spaces."""
    return " ".join(
        "&".join(f"{name}={'|'.join(sorted(some))}" for name, some in alternative.items())
        for alternative in condition
    )


def nothing(_: Values) -> dict[str, Any]:
    return {}


@dataclass(frozen=True, kw_only=True)
class FieldGroup:
    """Fields that belong together on the form, on the run's list of settings, and in its config."""

    name: str
    title: str
    make: Callable[[], dict[str, forms.Field]]
    """Fresh fields, in order."""
    plain: tuple[str, ...] = ()
    """Places in the configuration that a field gives as it is, e.g. ``evolution.islands``."""
    words: str = ""
    """When the group matters, for people."""
    when: Condition = ALWAYS
    field_when: Mapping[str, Condition] = field(default_factory=dict)
    """For fields that matter less often than their group."""
    folded: bool = True
    needed: bool = False
    """Whether it opens by itself where it matters, because few runs can do without a look at it."""
    below: str = ""
    """Template of what stands below the fields."""
    more_config: Callable[[Values], dict[str, Any]] = nothing
    """Configuration out of the fields that are not plain."""
    more_values: Callable[[Values], dict[str, Any]] = nothing
    """Those fields' values out of a configuration."""

    def matters(self, name: str, values: Values) -> bool:
        """Whether the field ``name`` has any influence on a run with these values."""
        return holds(self.when, values) and holds(self.field_when.get(name, ALWAYS), values)

    def to_config(self, cleaned: Values) -> dict[str, Any]:
        """What the fields say; an empty one leaves the configuration its default."""
        config: dict[str, Any] = {}
        for path in self.plain:
            value = cleaned.get(path.replace(".", "_"))
            if value not in (None, "") and self.matters(path.replace(".", "_"), cleaned):
                place, _, key = path.rpartition(".")
                (config.setdefault(place, {}) if place else config)[key] = value
        if not holds(self.when, cleaned):
            return config
        for key, value in self.more_config(cleaned).items():
            config[key] = {**config.get(key, {}), **value} if isinstance(value, dict) else value
        return config

    def to_values(self, config: Values) -> dict[str, Any]:
        """The values with which the form describes ``config``; old ones may lack any key."""
        values = {}
        for path in self.plain:
            found: Any = config
            for key in path.split("."):
                found = found.get(key) if isinstance(found, Mapping) else None
            if found is not None:
                values[path.replace(".", "_")] = found
        return {**values, **self.more_values(config)}


def whole(low: int, high: int, label: str, help_text: str = "", **more: Any) -> forms.IntegerField:
    """A whole number; empty takes the default."""
    told = f"{help_text} {low:,} to {high:,}.".strip()
    return forms.IntegerField(
        min_value=low, max_value=high, label=label, help_text=told, required=False, **more
    )


def number(
    low: float, high: float, label: str, help_text: str = "", **more: Any
) -> forms.FloatField:
    """A number; empty takes the default."""
    told = f"{help_text} {low:g} to {high:,.0f}.".strip()
    return forms.FloatField(
        min_value=low, max_value=high, label=label, help_text=told, required=False, **more
    )
