"""A key goes to the address it belongs to, and to nobody else."""

from __future__ import annotations

import pytest

from oracles.models import ModelFailed, ModelRefused
from oracles.models.endpoints import Endpoint, EnvironmentEndpoints
from oracles.options import ModelChoice, ModelRef
from tests.model_server import ModelServer, redirects, status
from tests.oracles.models.asking import choice, client, request

PROVIDERS_KEY = "sk-provider-0123456789abcdef"
OWN_KEY = "own-key-fedcba9876543210"
PROVIDERS = ("OPENAI", "ANTHROPIC", "GEMINI", "GOOGLE", "OPENROUTER", "DEEPSEEK", "OLLAMA", "GROQ")


@pytest.fixture(autouse=True)
def _keys_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in PROVIDERS:
        monkeypatch.setenv(f"{provider}_API_KEY", PROVIDERS_KEY)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", PROVIDERS_KEY)
    monkeypatch.setenv("OPENAI_ORGANIZATION", "org-of-mine")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-mine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-mine")
    monkeypatch.setenv("SERVER_KEY", OWN_KEY)


MODELS = [
    "local-model",
    "openai/local-model",
    "ollama/llama3",
    "ollama_chat/llama3",
    "anthropic/claude-sonnet-4-5",
    "gemini/gemini-2.5-flash",
    "openrouter/meta/llama",
    "deepseek/deepseek-chat",
    "groq/llama-3.1-8b-instant",
    "hosted_vllm/Qwen/Qwen3",
]


@pytest.mark.parametrize("model", MODELS)
def test_a_free_address_never_gets_a_providers_key(model_server: ModelServer, model: str) -> None:
    asking, _ = client()
    model_server.script(status(500))
    with pytest.raises((ModelFailed, ModelRefused)):
        asking.ask(request(choice(model_server, model, retries=0)))
    received = model_server.requests + model_server.others
    assert len(model_server.requests) == 1
    for each in received:
        assert not each.holds(PROVIDERS_KEY)
        assert not each.holds("of-mine")
        assert not each.holds("no-key")
        assert each.headers["authorization"] is None


@pytest.mark.parametrize("model", MODELS)
def test_a_free_address_gets_the_key_that_was_named_for_it(
    model_server: ModelServer, model: str
) -> None:
    asking, _ = client()
    model_server.script(status(500))
    with pytest.raises((ModelFailed, ModelRefused)):
        asking.ask(request(choice(model_server, model, retries=0, api_key_env="SERVER_KEY")))
    assert model_server.requests[0].holds(OWN_KEY) or model.startswith("ollama/")
    assert not model_server.requests[0].holds(PROVIDERS_KEY)


def test_a_key_that_would_leak_holds_the_request_back(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_TOKEN", "another-secret-of-the-machine")

    class Leaky:
        def resolve(self, ref: ModelRef, choice: ModelChoice) -> Endpoint:
            return Endpoint(
                model=ref.model,
                provider="openai",
                api_base=choice.api_base + "?token=another-secret-of-the-machine",
            )

    asking, ledger = client(endpoints=Leaky())
    with pytest.raises(ModelRefused, match="would have carried a secret"):
        asking.ask(request(choice(model_server)))
    assert model_server.requests == model_server.others == []
    assert len(ledger.entries) == 1


def test_a_redirect_does_not_carry_a_key_away(model_server: ModelServer) -> None:
    asking, _ = client()
    with ModelServer() as elsewhere:
        model_server.script(redirects(f"{elsewhere.url}/chat/completions"))
        with pytest.raises(ModelRefused):
            asking.ask(request(choice(model_server, api_key_env="SERVER_KEY")))
        assert elsewhere.requests == elsewhere.others == []


def test_a_missing_key_is_named_and_nothing_is_asked(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SERVER_KEY")
    asking, ledger = client()
    with pytest.raises(ModelRefused, match="SERVER_KEY is not set"):
        asking.ask(request(choice(model_server, api_key_env="SERVER_KEY")))
    assert ledger.entries == []
    assert model_server.requests == []


def test_a_provider_without_its_key_is_refused_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for provider in PROVIDERS:
        monkeypatch.delenv(f"{provider}_API_KEY")
    monkeypatch.delenv("OPENAI_ADMIN_KEY")
    asking, _ = client()
    chosen = ModelChoice(models=(ModelRef(model="openai/gpt-4o"),), retries=0)
    with pytest.raises(ModelRefused, match="could not be made"):
        asking.ask(request(chosen))


@pytest.mark.parametrize(
    "address",
    ["ftp://127.0.0.1/v1", "127.0.0.1:8000", "http://", "http://u:p@127.0.0.1/v1", "http://h:x/v1"],
)
def test_an_address_that_is_none_is_refused(model_server: ModelServer, address: str) -> None:
    asking, _ = client()
    with pytest.raises(ModelRefused, match="must look like http") as caught:
        asking.ask(request(choice(model_server, api_base=address)))
    assert "u:p" not in str(caught.value)


def test_an_endpoint_is_for_those_who_defined_it(model_server: ModelServer) -> None:
    ref = ModelRef(model="m", endpoint="lab")
    with pytest.raises(ModelRefused, match="'lab'"):
        EnvironmentEndpoints().resolve(ref, choice(model_server))


def test_an_endpoint_does_not_show_its_key() -> None:
    assert OWN_KEY not in repr(Endpoint(model="m", api_base="http://h/v1", api_key=OWN_KEY))
