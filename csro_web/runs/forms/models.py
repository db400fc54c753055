"""Which language models are asked, at which of the administrator's endpoints, and how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from csro_web.calls import endpoints
from csro_web.runs.forms.conditions import ASKED
from csro_web.runs.forms.group import FieldGroup, Values, number, whole
from oracles.options import ConfigError, ModelChoice, ModelRef


class ModelsField(forms.CharField):
    """A model a line: ``endpoint model``, and for an ensemble its weight behind it.

    Cleaned data is a list of :class:`ModelRef` as JSON.
    """

    widget = forms.Textarea

    def __init__(self, label: str, help_text: str, *, initial: str = "") -> None:
        attributes = {"rows": 3, "spellcheck": "false", "autocapitalize": "off", "class": "mono"}
        super().__init__(
            label=label,
            help_text=help_text,
            required=False,
            initial=initial,
            max_length=8_000,
            strip=False,
            widget=forms.Textarea(attrs=attributes),
        )

    def clean(self, value: Any) -> list[dict[str, Any]]:
        text = super().clean(value)
        return [
            _model(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()
        ]

    def prepare_value(self, value: Any) -> Any:
        return value if value is None or isinstance(value, str) else "\n".join(map(_line, value))


def _model(number: int, line: str) -> dict[str, Any]:
    words = line.split()
    if not 2 <= len(words) <= 3:
        raise forms.ValidationError(
            f"Line {number}: write the endpoint, the model and, if you like, its weight."
        )
    try:
        weight = float(words[2]) if len(words) == 3 else 1.0
    except ValueError as error:
        raise forms.ValidationError(f"Line {number}: {words[2]!r} is no weight.") from error
    try:
        ref = ModelRef(endpoint=words[0], model=words[1], weight=weight)
        endpoints.find(endpoints.load(), ref)
    except (ConfigError, endpoints.EndpointsError) as error:
        raise forms.ValidationError(f"Line {number}: {error}.") from error
    return {"endpoint": ref.endpoint, "model": ref.model, "weight": ref.weight}


def _line(ref: Mapping[str, Any]) -> str:
    weight = ref.get("weight", 1.0)
    words = [ref.get("endpoint") or "-", ref["model"], *([f"{weight:g}"] if weight != 1 else [])]
    return " ".join(words)


def _there_are() -> str:
    """What may be written, in words."""
    try:
        found = endpoints.choices()
    except endpoints.EndpointsError as error:
        return f"The list of endpoints cannot be used: {error}."
    if not found:
        return "No endpoint is defined yet; an administrator can define some."
    lines = (f"{one.name} {model}" for one in found for model in one.models)
    return f"There are: {'; '.join(lines)}."


def _first() -> str:
    """The first model that there is, so that a newcomer has something to begin with."""
    try:
        found = endpoints.choices()
    except endpoints.EndpointsError:
        return ""
    return f"{found[0].name} {found[0].models[0]}" if found else ""


def _make() -> dict[str, forms.Field]:
    return {
        "model_models": ModelsField(
            "Models",
            "One a line: endpoint, model and, in an ensemble, its weight. " + _there_are(),
            initial=_first(),
        ),
        "model_fallbacks": ModelsField(
            "Fallbacks", "Asked in this order when the model drawn cannot be had; written likewise."
        ),
        "model_temperature": number(0, 2, "Temperature", "Empty: the model's own."),
        "model_top_p": number(0, 1, "Top p", "Empty: the model's own."),
        "model_max_tokens": whole(
            1, 1_000_000, "Longest answer", "In tokens,", initial=ModelChoice.max_tokens
        ),
        "model_deadline_seconds": number(
            *(0.05, 86_400, "Deadline of a request", "In seconds, until the last byte."),
            initial=ModelChoice.deadline_seconds,
        ),
        "model_retries": whole(
            *(0, 20, "Further tries", "After rate limits, timeouts and server errors,"),
            initial=ModelChoice.retries,
        ),
    }


def _more_config(cleaned: Values) -> dict[str, Any]:
    return {
        "model": {
            "models": cleaned.get("model_models") or [],
            "fallbacks": cleaned.get("model_fallbacks") or [],
        }
    }


def _more_values(config: Values) -> dict[str, Any]:
    model = config.get("model") or {}
    return {f"model_{key}": model[key] for key in ("models", "fallbacks") if model.get(key)}


GROUP = FieldGroup(
    name="models",
    title="Language models",
    words="For the writer “a language model” and the baseline “LLM agent”.",
    make=_make,
    plain=(
        *("model.temperature", "model.top_p", "model.max_tokens"),
        *("model.deadline_seconds", "model.retries"),
    ),
    when=ASKED,
    needed=True,
    below="calls/model_test_button.html",
    more_config=_more_config,
    more_values=_more_values,
)
