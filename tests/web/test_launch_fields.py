"""The form's fields against the configuration: none missing, the same ranges, nothing lost."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from csro_web.runs.forms import LaunchForm, form_values
from csro_web.runs.forms.launch import GROUPS, config_json
from csro_web.runs.models import Run
from csro_web.runs.settings_list import settings_of
from oracles.config import ConfigError, OracleName, RunConfig, WriterName
from oracles.options import Agent, Budget, Evolution, Impala, ModelChoice
from tests.web import builders
from tests.web.test_launch import filled

NESTED = {
    "evolution": Evolution,
    "budget": Budget,
    "agent": Agent,
    "impala": Impala,
    "model": ModelChoice,
}
NOT_ON_THE_WEB = {"model.api_base", "model.api_key_env"}
PAGES_OF_THEIR_OWN = {"challenge", "prompts"}
WRITTEN_OUT = {"params", "initial", "allow_faulty", "model.models", "model.fallbacks"}
ALL = [(group, path) for group in GROUPS for path in group.plain]


def test_every_choice_of_a_run_has_a_field() -> None:
    wanted = {one.name for one in fields(RunConfig)} - set(NESTED) - PAGES_OF_THEIR_OWN
    for place, options in NESTED.items():
        wanted |= {f"{place}.{one.name}" for one in fields(options)}
    offered = {path for _, path in ALL} | WRITTEN_OUT
    assert offered == wanted - NOT_ON_THE_WEB
    form = LaunchForm()
    for path in offered - {"params"}:
        assert path.replace(".", "_") in form.fields


def made_with(path: str, value: Any) -> None:
    place, _, key = path.rpartition(".")
    if place == "model":
        ModelChoice.from_json({"models": [{"model": "m"}], key: value})
    elif place:
        NESTED[place].from_json({key: value})
    else:
        RunConfig.from_json({"game": "rrps", key: value})


NUMBERS = [
    (path, group.make()[path.replace(".", "_")])
    for group, path in ALL
    if hasattr(group.make()[path.replace(".", "_")], "min_value") and path != "target"
]


@pytest.mark.parametrize(("path", "field"), NUMBERS, ids=[path for path, _ in NUMBERS])
def test_a_fields_range_is_that_of_the_configuration(path: str, field: Any) -> None:
    made_with(path, field.min_value)
    made_with(path, field.max_value)
    for outside in (field.min_value - 1, field.max_value + 1):
        with pytest.raises(ConfigError):
            made_with(path, outside)


CONFIGS: list[dict[str, Any]] = [
    {
        "oracle": "alpha_evolve",
        "writer": "llm",
        "iterations": 3,
        "proposals": 40,
        "context": "summary",
        "opponents": "top5",
        "context_tokens": 5000,
        "evolution": {"islands": 2, "window": 8, "migration": 5, "screen_episodes": 1},
        "budget": {"calls": 0, "usd": 1.5, "minutes": 20.0, "tokens": 10},
        "model": {
            "models": [{"endpoint": "lab", "model": "small", "weight": 3.0}],
            "fallbacks": [{"endpoint": "lab", "model": "large", "weight": 1.0}],
            "temperature": 0.0,
            "max_tokens": 100,
            "retries": 0,
        },
    },
    {"oracle": "linear_refinement", "writer": "replay", "recording": "7", "target": 0.0},
    {"oracle": "cfr", "cfr_iterations": 500, "evaluation_episodes": 3},
    {"oracle": "impala", "impala": {"frames": 2000, "learning_rate": 0.001}, "iterations": 2},
]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config["oracle"])
def test_a_configuration_comes_back_from_the_form_as_it_was(config: dict[str, Any]) -> None:
    whole = {"game": "leduc", "params": {"reveal": "always"}, "seed": 3, **config}
    again = config_json({"initial": "", **form_values(whole)})
    assert {**again, **whole} == again, "something was lost"
    extra = {key: value for key, value in again.items() if key not in whole}
    assert extra.pop("allow_faulty") is False
    assert extra == {"initial": []}


@pytest.mark.django_db
def test_a_mistake_in_a_field_that_the_run_does_not_use_stops_nobody(operator: Client) -> None:
    answer = operator.post("/runs/new", filled(oracle="zero_shot", evolution_islands="0"))
    assert answer.status_code == 302
    assert Run.objects.get().config["evolution"]["islands"] == 4


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("message", "field"),
    [
        ("evolution: islands is 0; it must be a whole number", "evolution_islands"),
        ("budget: usd is -1; it must be a number", "budget_usd"),
        ("model: models is empty; name a model", "model_models"),
        ("model is missing; name the language model", "model_models"),
        ("initial has 'nobody'; it may have uniform", "initial"),
        ("params: unknown parameter", "param_leduc_reveal"),
        ("alpha_evolve cannot be chosen yet", None),
    ],
)
def test_an_error_of_the_configuration_finds_its_field(message: str, field: str | None) -> None:
    assert LaunchForm()._field_of(message, "leduc") == field


@pytest.mark.django_db
def test_only_what_can_be_done_is_offered() -> None:
    form = LaunchForm()
    for name, enum in (("oracle", OracleName), ("writer", WriterName)):
        for value, _ in form.fields[name].choices:
            data = {"game": "rrps", name: value, "recording": "1"}
            data["model"] = {"models": [{"model": "m"}]}
            assert getattr(RunConfig.from_json(data), name) is enum(value)


@pytest.mark.django_db
def test_models_are_asked_for_a_line_each_and_mistakes_are_named() -> None:
    field = LaunchForm().fields["model_models"]
    with pytest.raises(ValidationError, match="no endpoint 'nowhere'"):
        field.clean("nowhere small")
    with pytest.raises(ValidationError, match="Line 2: write the endpoint"):
        field.clean("\nonly-a-model")
    assert field.prepare_value([{"endpoint": "lab", "model": "m", "weight": 2.0}]) == "lab m 2"


@pytest.mark.django_db
def test_the_settings_of_a_run_are_those_that_matter_for_it() -> None:
    run = builders.make_run(oracle="zero_shot", game="leduc", params={"reveal": "always"})
    told = dict(settings_of(run))
    assert told["Oracle"].startswith("Zero-shot")
    assert told["Reveal (leduc)"] == "after every hand, as OpenSpiel shows it"
    assert told["Seed"] == "7"
    assert not {"Islands", "Refinements per best response", "Recorded run"} & told.keys()
    evolved = builders.make_run(oracle="alpha_evolve", evolution={"islands": 3, "window": 2})
    told = dict(settings_of(evolved))
    assert (told["Islands"], told["Proposals in work at once"]) == ("3", "2")
