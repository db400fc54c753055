"""The form's fields against the configuration: none missing, the same ranges, nothing lost."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
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
from oracles.prompt_parts import builtin_prompt, prompt_names
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
PAGES_OF_THEIR_OWN = {"challenge"}
TEXTS = {f"prompt_{name}" for name in prompt_names()}
WRITTEN_OUT = {"params", "prompts", "initial", "allow_faulty", "model.models", "model.fallbacks"}
ALL = [(group, path) for group in GROUPS for path in group.plain]


def test_every_choice_of_a_run_has_a_field() -> None:
    wanted = {one.name for one in fields(RunConfig)} - set(NESTED) - PAGES_OF_THEIR_OWN
    for place, options in NESTED.items():
        wanted |= {f"{place}.{one.name}" for one in fields(options)}
    offered = {path for _, path in ALL} | WRITTEN_OUT
    assert offered == wanted - NOT_ON_THE_WEB
    form = LaunchForm()
    for path in offered - {"params", "prompts"}:
        assert path.replace(".", "_") in form.fields
    assert form.fields.keys() >= TEXTS


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
        "prompts": {"system": "You write short programs.\n"},
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
@pytest.mark.parametrize(
    ("oracle", "field", "value"),
    [("zero_shot", "evolution_islands", "0"), ("cfr", "initial", "much too long " * 200)],
)
def test_a_mistake_in_a_field_that_the_run_does_not_use_stops_nobody(
    oracle: str, field: str, value: str, operator: Client
) -> None:
    answer = operator.post("/runs/new", filled(oracle=oracle, **{field: value}))
    assert answer.status_code == 302
    config = Run.objects.get().config
    assert (config["evolution"]["islands"], config["initial"]) == (4, [])


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
        ("prompts: 'rules' lacks the placeholder $rules; put it back", "prompt_rules"),
        ("prompts: the text of 'system' must have 1 to 100000 characters", "prompt_system"),
        ("nothing of this form", None),
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


@pytest.fixture
def endpoints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "endpoints.toml"
    path.write_text('[lab]\napi_base = "http://127.0.0.1:9/v1"\nmodels = ["small", "large"]\n')
    monkeypatch.setenv("CSRO_ENDPOINTS", str(path))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nowhere small", "no endpoint is called 'nowhere'"),
        ("\nlab", "Line 2: write the endpoint"),
        ("lab huge", "'huge' may not be asked at lab"),
        ("lab small heavy", "'heavy' is no weight"),
        ("lab small -1", "from 0 to"),
    ],
)
def test_a_mistake_in_a_line_of_the_models_is_named(text: str, told: str, endpoints: None) -> None:
    with pytest.raises(ValidationError, match=told):
        LaunchForm().fields["model_models"].clean(text)


@pytest.mark.django_db
def test_models_are_a_line_each_and_the_first_stands_there(endpoints: None) -> None:
    field = LaunchForm().fields["model_models"]
    assert field.initial == "lab small"
    assert "lab small; lab large" in field.help_text
    refs = field.clean("lab small\r\n\r\nlab large 2\r\n")
    assert [(ref["model"], ref["weight"]) for ref in refs] == [("small", 1.0), ("large", 2.0)]
    assert field.prepare_value(refs) == "lab small\nlab large 2"


@pytest.mark.django_db
def test_only_an_edited_prompt_becomes_part_of_the_run(operator: Client) -> None:
    form = operator.get("/runs/new").context["form"]
    shown = {name: form[name].value().replace("\n", "\r\n") for name in TEXTS}
    mine = "Play fair.\r\nThat is all."
    sent = filled(writer="manual", oracle="zero_shot", **{**shown, "prompt_system": mine})
    operator.post("/runs/new", sent)
    run = Run.objects.get()
    assert run.config["prompts"] == {"system": "Play fair.\nThat is all."}
    assert dict(settings_of(run))["System message of a writer"] == "edited, 23 characters"
    again = operator.get(f"/runs/new?from={run.pk}").context["form"]
    assert again["prompt_system"].value() == "Play fair.\nThat is all."
    assert again["prompt_rules"].value() == builtin_prompt("rules")


@pytest.mark.django_db
def test_a_prompt_that_lacks_what_is_filled_in_is_told_beside_its_text(operator: Client) -> None:
    sent = filled(writer="manual", oracle="zero_shot", prompt_rules="No rules, name & <b>")
    answer = operator.post("/runs/new", sent)
    assert answer.status_code == 422
    assert "lacks the placeholder" in " ".join(answer.context["form"].errors["prompt_rules"])
    assert "No rules, name &amp; &lt;b&gt;" in answer.content.decode()


@pytest.mark.django_db
def test_a_reopened_form_has_an_address_that_servers_take(client: Client, person: Any) -> None:
    sent = filled(prompt_system="long\n " * 2000, prompt_rules="x\n" * 1000, iterations="17")
    answer = client.post("/runs/new", sent)
    assert len(answer.url) < 4000
    assert "iterations%3D17" in answer.url
    assert "reopened" in answer.url


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
