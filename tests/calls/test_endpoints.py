"""The file of endpoints: what it defines, what it may not say, and who may leave it aside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from csro_web.calls import endpoints
from csro_web.calls.endpoints import EndpointsError, Price
from csro_web.runs import services
from csro_web.runs.models import Run
from oracles.config import ConfigError, RunConfig
from tests.work.place import TINY

GOOD = """
[lab]
api_base = "http://127.0.0.1:11434/v1/"
key_env = "LAB_API_KEY"
models = ["llama3.2", "qwen2.5"]
words = "Ollama in the lab"
[lab.prices."llama3.2"]
prompt = 0.15
completion = 0.6

[hosted]
provider = "anthropic"
key_env = "ANTHROPIC_API_KEY"
models = ["claude-x"]
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    def make(text: str) -> Path:
        path = tmp_path / "endpoints.toml"
        path.write_text(text)
        monkeypatch.setenv("CSRO_ENDPOINTS", str(path))
        return path

    return make


def test_a_file_defines_endpoints_by_name(write: Callable[[str], Path]) -> None:
    write(GOOD)
    hosted, lab = endpoints.choices()
    assert (lab.name, lab.provider, lab.api_base) == ("lab", "openai", "http://127.0.0.1:11434/v1")
    assert (lab.key_env, lab.models) == ("LAB_API_KEY", ("llama3.2", "qwen2.5"))
    assert lab.prices == {"llama3.2": Price(prompt=0.15, completion=0.6)}
    assert (hosted.provider, hosted.api_base, hosted.prices) == ("anthropic", "", {})


def test_without_a_file_there_are_no_endpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CSRO_ENDPOINTS", raising=False)
    assert endpoints.choices() == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[lab", "is not TOML"),
        ('lab = "x"', "lab must be a table"),
        ('["a b"]\nmodels = ["m"]', "'a b' cannot name an endpoint"),
        ("[lab]", "[lab] models: must list the models"),
        ("[lab]\nmodels = []", "[lab] models: must list the models"),
        ("[lab]\nmodels = [1]", "[lab] models: must list the models"),
        ('[lab]\nmodels = ["m"]\nurl = "x"', "[lab] url: is unknown; known are provider, api_base"),
        ('[lab]\nmodels = ["m"]\napi_base = "ftp://x"', "[lab] api_base: must be an address"),
        ('[lab]\nmodels = ["m"]\napi_base = "http://[x"', "[lab] api_base: must be an address"),
        ('[lab]\nmodels = ["m"]\napi_base = "http://h:x"', "[lab] api_base: must be an address"),
        ('[lab]\nmodels = ["m"]\napi_base = "http://u:p@h"', "may have no password"),
        ('[lab]\nmodels = ["m"]\napi_base = 1', "[lab] api_base: must be a text"),
        ('[lab]\nmodels = ["m"]\nkey_env = "CSRO_SECRET_KEY"', "is a secret of CSRO's own"),
        ('[lab]\nmodels = ["m"]\nkey_env = "LAB"', "[lab] key_env: must be the name"),
        ('[lab]\nmodels = ["m"]\nprices = 1', "[lab] prices: must be a table"),
        ('[lab]\nmodels = ["m"]\n[lab.prices.x]\nprompt = 1', "is not among the endpoint's models"),
        ('[lab]\nmodels = ["m"]\n[lab.prices.m]\nprompt = 1', "must give prompt and completion"),
        (
            '[lab]\nmodels = ["m"]\n[lab.prices.m]\nprompt = -1\ncompletion = 1',
            'prices."m".prompt: must lie between 0',
        ),
        (
            '[lab]\nmodels = ["m"]\n[lab.prices.m]\nprompt = nan\ncompletion = 1',
            'prices."m".prompt: must lie between 0',
        ),
    ],
)
def test_what_cannot_be_is_told_with_file_entry_and_field(
    text: str, told: str, write: Callable[[str], Path]
) -> None:
    path = write(text)
    with pytest.raises(EndpointsError) as caught:
        endpoints.load()
    assert str(path) in str(caught.value)
    assert told in str(caught.value)


@pytest.mark.parametrize("field", ["key_env", "api_key", "token"])
def test_a_key_in_the_file_is_refused_and_not_repeated(
    field: str, write: Callable[[str], Path]
) -> None:
    write(f'[lab]\nmodels = ["m"]\n{field} = "sk-plantedsecret"')
    with pytest.raises(EndpointsError) as caught:
        endpoints.load()
    assert "plantedsecret" not in str(caught.value)
    assert "key_env" in str(caught.value)


def test_a_file_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CSRO_ENDPOINTS", str(tmp_path / "absent.toml"))
    with pytest.raises(EndpointsError, match=r"absent\.toml, which cannot be read"):
        endpoints.load()


def config(**model: object) -> RunConfig:
    return RunConfig.from_json({**TINY, "model": model})


LAB = [{"endpoint": "lab", "model": "qwen2.5"}]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("model", "told"),
    [
        ({"models": [{"model": "qwen2.5"}]}, "no endpoint is called ''"),
        ({"models": [{"model": "m", "endpoint": "other"}]}, "no endpoint is called 'other'"),
        ({"models": [{"model": "m", "endpoint": "lab"}]}, "'m' may not be asked at lab"),
        ({"models": LAB, "fallbacks": [{"model": "m"}]}, "no endpoint is called ''"),
        ({"models": LAB, "api_base": "http://169.254.169.254/"}, "for the command line alone"),
        ({"models": LAB, "api_key_env": "CSRO_SECRET_KEY"}, "for the command line alone"),
    ],
)
def test_a_run_from_the_web_names_defined_endpoints_alone(
    model: dict[str, object], told: str, write: Callable[[str], Path]
) -> None:
    write(GOOD)
    with pytest.raises(ConfigError, match=told):
        services.create_run(config=config(**model), announce=False)
    assert not Run.objects.exists()


@pytest.mark.django_db
def test_a_run_may_name_a_defined_endpoint_and_a_terminal_any_address(
    write: Callable[[str], Path],
) -> None:
    write(GOOD)
    assert services.create_run(config=config(models=LAB), announce=False).pk
    free = config(models=[{"model": "openai/x"}], api_base="http://127.0.0.1:9/v1")
    assert services.create_run(config=free, announce=False, from_terminal=True).pk


@pytest.mark.django_db
def test_a_broken_file_refuses_a_run_in_words(write: Callable[[str], Path]) -> None:
    write("[lab")
    with pytest.raises(ConfigError, match=r"is not TOML.*an administrator has to correct it"):
        services.create_run(config=config(models=LAB), announce=False)
