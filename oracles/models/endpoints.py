"""Where a model is asked, with which key, at which price."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from oracles.models.access import ModelRefused
from oracles.options import ModelChoice, ModelRef

OPENAI_COMPATIBLE = "openai"
"""The provider that litellm takes for any server that speaks OpenAI's protocol."""


@dataclass(frozen=True, kw_only=True)
class Price:
    """US dollars per token."""

    prompt: float
    completion: float

    def of(self, *, prompt_tokens: int, completion_tokens: int) -> float:
        """US dollars for so many tokens."""
        return self.prompt * prompt_tokens + self.completion * completion_tokens


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One model's address as it is about to be used."""

    model: str
    """As litellm takes it when ``provider`` is said, without the provider in front."""
    provider: str | None = None
    """As litellm names it; None lets litellm tell it from the model's name."""
    api_base: str | None = None
    """None is the provider's own address. Nothing but this scheme, host and port is reached."""
    api_key: str | None = field(default=None, repr=False)
    """The only key that is sent to ``api_base``; None sends none.

    Without an ``api_base`` None means the provider's own variable, which litellm reads.
    """
    price: Price | None = None
    """What the endpoint itself says it costs; None asks litellm's list of prices."""

    @property
    def origin(self) -> tuple[str, str, int] | None:
        """Scheme, host and port of ``api_base``."""
        return None if self.api_base is None else origin_of(self.api_base)


class EndpointResolver(Protocol):
    """Finds the endpoint of a model: in the environment, or among those an administrator made."""

    def resolve(self, ref: ModelRef, choice: ModelChoice) -> Endpoint:
        """Where ``ref`` of a run with ``choice`` is asked.

        Raises:
            ModelRefused: when the endpoint does not exist, does not offer the model or lacks its
                key; the message says what to do and holds no key.
        """
        ...


def origin_of(address: str) -> tuple[str, str, int]:
    """Scheme, host and port.

    Raises:
        ModelRefused: when it is no address of a web server.
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ModelRefused(
            "the address of the model must look like http://HOST:PORT/v1 or https://HOST/v1,"
            " without a user or a password"
        )
    return parts.scheme, parts.hostname, port or {"http": 80, "https": 443}[parts.scheme]


class EnvironmentEndpoints:
    """For the command line: a free address with the key of a named variable, or a provider's own.

    A free address gets no key unless ``api_key_env`` names one: litellm by itself would send
    ``OPENAI_API_KEY`` to whatever address it is given.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment

    def resolve(self, ref: ModelRef, choice: ModelChoice) -> Endpoint:
        if ref.endpoint:
            raise ModelRefused(
                f"there is no endpoint {ref.endpoint!r} here; endpoints are made by an"
                " administrator, the command line takes an address with --api-base"
            )
        key = self._key(choice.api_key_env)
        if not choice.api_base:
            return Endpoint(model=ref.model, api_key=key)
        origin_of(choice.api_base)
        provider, model = split_provider(ref.model)
        return Endpoint(
            model=model,
            provider=provider or OPENAI_COMPATIBLE,
            api_base=choice.api_base,
            api_key=key,
        )

    def _key(self, variable: str) -> str | None:
        if not variable:
            return None
        key = self._environment.get(variable, "").strip()
        if not key:
            raise ModelRefused(
                f"the variable {variable} is not set; put the key for the model there"
            )
        return key


def split_provider(model: str) -> tuple[str | None, str]:
    """The provider that litellm sees in ``model`` (``ollama/llama3``), and the rest.

    None where the first part is no provider: ``Qwen/Qwen3`` is the whole name of a model.
    """
    from oracles.models.loading import load_litellm

    first, slash, rest = model.partition("/")
    if slash and rest and first in load_litellm().provider_list:
        return first, rest
    return None, model
