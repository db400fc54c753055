"""The endpoints of language models that an administrator defined (CSRO_ENDPOINTS names the file).

People on the web choose among these by name; nobody there can name an address or a key. A key
stands in the environment of the workers alone, under the name that its endpoint gives.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from csro_web import environment
from csro_web.logs import names_a_secret
from oracles.config import ConfigError
from oracles.options import ModelChoice, ModelRef

VARIABLE = "CSRO_ENDPOINTS"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
_PRODUCTS_OWN = frozenset({"CSRO_SECRET_KEY", "DATABASE_URL", "BROKER_URL", "POSTGRES_PASSWORD"})
_KEY_FIELDS = frozenset({"key", "api_key", "apikey", "token", "secret", "password"})


class EndpointsError(Exception):
    """The file cannot be used; the message names the file, the entry and the field."""


@dataclass(frozen=True, kw_only=True)
class Price:
    """US dollars per million tokens."""

    prompt: float
    completion: float


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A place where language models are served."""

    name: str
    provider: str = "openai"
    """How it is spoken to, as litellm calls it; ``openai`` for every OpenAI-compatible server."""
    api_base: str = ""
    """Its address; empty for the provider's own."""
    key_env: str = ""
    """Name of the environment variable that holds its key; empty when it needs none."""
    models: tuple[str, ...]
    """The models that may be asked, as the endpoint calls them."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """By model; what is not listed is unknown, unless the provider's prices are public."""
    words: str = ""
    """What people read beside the name."""


def file_of_endpoints() -> Path | None:
    """The file that CSRO_ENDPOINTS names, if any."""
    named = environment.text(VARIABLE)
    return Path(named).absolute() if named else None


def load() -> dict[str, Endpoint]:
    """All endpoints by name, as the file says at this moment; none without a file.

    Raises:
        EndpointsError: when the file cannot be read or says what cannot be.
    """
    path = file_of_endpoints()
    if path is None:
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise EndpointsError(
            f"{VARIABLE} names {path}, which cannot be read: {error.strerror}"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise EndpointsError(f"{path} is not TOML: {error}") from error
    return {name: _Entry(path, name, table).endpoint() for name, table in data.items()}


def choices() -> list[Endpoint]:
    """The endpoints as the launch form offers them, in the order of their names.

    Raises:
        EndpointsError: see :func:`load`.
    """
    return [endpoint for _, endpoint in sorted(load().items())]


def keys_of_models() -> frozenset[str]:
    """Names of the environment variables that hold keys for models: only workers need those.

    Raises:
        EndpointsError: see :func:`load`.
    """
    named = (endpoint.key_env for endpoint in load().values())
    usual = (name for name in os.environ if name.endswith(("_API_KEY", "_API_TOKEN")))
    return frozenset({*filter(None, named), *usual})


def may_hold_a_key(variable: str) -> bool:
    """Whether this can be the name of a variable with a key: what it holds is hidden everywhere."""
    named = _ENVIRONMENT_NAME.fullmatch(variable) is not None
    return named and names_a_secret(variable)


def is_of_csro(variable: str) -> bool:
    """Whether it holds a secret of CSRO's own, which goes to no model's server."""
    return variable in _PRODUCTS_OWN


def check_choice(choice: ModelChoice, *, from_terminal: bool) -> None:
    """Whether these models may be chosen; only at a terminal may they stand elsewhere.

    Raises:
        ConfigError: when a model is not at a defined endpoint, or when somebody on the web gives
            an address or the name of a key.
    """
    if not from_terminal and (choice.api_base or choice.api_key_env):
        raise ConfigError(
            "model: an address and a key's name are for the command line alone; here, choose an"
            " endpoint that the administrator defined"
        )
    try:
        defined = load()
    except EndpointsError as error:
        raise ConfigError(f"model: {error}; an administrator has to correct it") from error
    for ref in (*choice.models, *choice.fallbacks):
        if ref.endpoint or not from_terminal:
            find(defined, ref)


def find(defined: Mapping[str, Endpoint], ref: ModelRef) -> Endpoint:
    """The endpoint of ``ref``, which must list its model.

    Raises:
        ConfigError: when there is no such endpoint, or the model may not be asked there.
    """
    endpoint = defined.get(ref.endpoint)
    if endpoint is None:
        known = ", ".join(sorted(defined)) or f"none ({VARIABLE} names the file that defines them)"
        raise ConfigError(f"model: no endpoint is called {ref.endpoint!r}; defined are: {known}")
    if ref.model not in endpoint.models:
        raise ConfigError(
            f"model: {ref.model!r} may not be asked at {endpoint.name}; its models are:"
            f" {', '.join(endpoint.models)}"
        )
    return endpoint


class _Entry:
    """One table of the file, checked field by field."""

    def __init__(self, path: Path, name: str, table: object) -> None:
        self.path, self.name = path, name
        if not _NAME.fullmatch(name):
            raise EndpointsError(
                f"{path}: {name!r} cannot name an endpoint; use letters, digits, '_', '-' and '.'"
            )
        if not isinstance(table, dict):
            raise EndpointsError(f"{path}: {name} must be a table: [{name}] with fields below it")
        self.table: dict[str, Any] = table

    def endpoint(self) -> Endpoint:
        known = [item.name for item in fields(Endpoint) if item.name != "name"]
        for key in self.table:
            if key.lower() in _KEY_FIELDS:
                raise self._error(
                    key, "keys never stand in this file; name their variable in key_env"
                )
            if key not in known:
                raise self._error(key, f"is unknown; known are {', '.join(known)}")
        models = self._models()
        return Endpoint(
            name=self.name,
            provider=self._text("provider", 100) or "openai",
            api_base=self._address(),
            key_env=self._key_env(),
            models=models,
            prices=self._prices(models),
            words=self._text("words", 200),
        )

    def _error(self, name: str, words: str) -> EndpointsError:
        return EndpointsError(f"{self.path}: [{self.name}] {name}: {words}")

    def _text(self, name: str, most: int) -> str:
        value = self.table.get(name, "")
        if not isinstance(value, str) or len(value) > most:
            raise self._error(name, f"must be a text of at most {most} characters")
        return value.strip()

    def _address(self) -> str:
        value = self._text("api_base", 500)
        if not value:
            return ""
        try:
            parts = urlsplit(value)
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:  # a port that is no number, a bracket that is left open
            usable = False
        if not usable:
            raise self._error("api_base", "must be an address such as https://models.example/v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise self._error(
                "api_base", "may have no password, query or fragment; a key goes into key_env"
            )
        return value.rstrip("/")

    def _key_env(self) -> str:
        """The messages do not repeat the value: it may be a key by mistake."""
        value = self._text("key_env", 10_000)
        if not value:
            return ""
        if not may_hold_a_key(value):
            raise self._error(
                "key_env",
                "must be the name of an environment variable that has KEY, TOKEN or SECRET in it"
                " (such as LAB_API_KEY), never the key itself",
            )
        if is_of_csro(value):
            raise self._error("key_env", f"{value} is a secret of CSRO's own; name another one")
        return value

    def _models(self) -> tuple[str, ...]:
        value = self.table.get("models")
        good = isinstance(value, list) and value
        if not good or not all(isinstance(m, str) and 0 < len(m) <= 200 for m in value):
            raise self._error("models", 'must list the models that may be asked, as ["llama3.2"]')
        return tuple(dict.fromkeys(value))

    def _prices(self, models: tuple[str, ...]) -> dict[str, Price]:
        value = self.table.get("prices", {})
        if not isinstance(value, dict):
            raise self._error("prices", "must be a table by model")
        return {model: self._price(model, price, models) for model, price in value.items()}

    def _price(self, model: str, price: object, models: tuple[str, ...]) -> Price:
        name = f'prices."{model}"'
        if model not in models:
            raise self._error(name, "is not among the endpoint's models")
        if not isinstance(price, dict) or set(price) != {"prompt", "completion"}:
            raise self._error(name, "must give prompt and completion, in usd per million tokens")
        for part, usd in price.items():
            if isinstance(usd, bool) or not isinstance(usd, int | float):
                raise self._error(f"{name}.{part}", "must be a number of US dollars")
            if not (math.isfinite(usd) and 0 <= usd <= 1_000_000):
                raise self._error(f"{name}.{part}", "must lie between 0 and 1,000,000")
        return Price(prompt=float(price["prompt"]), completion=float(price["completion"]))
