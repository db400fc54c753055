"""Groups of a run's choices that only some runs use: budgets, models, evolution, baselines.

Each group checks itself when it is made and raises :class:`ConfigError` with a message that begins
with the group's name in :class:`oracles.config.RunConfig`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self


class ConfigError(ValueError):
    """A run that cannot be; the message names the field, the value and what would do."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """A group of choices; subclasses name themselves in ``GROUP``."""

    @classmethod
    def group(cls) -> str:
        return cls.__name__.lower()

    @classmethod
    def from_json(cls, data: object) -> Self:
        """The group that ``data`` describes (or already is); what is not said has its default.

        Raises:
            ConfigError: on an unknown key or a value that will not do.
        """
        if isinstance(data, cls):
            return data
        if not isinstance(data, Mapping):
            raise ConfigError(f"{cls.group()} is {data!r}; it must map names to values")
        known = [item.name for item in fields(cls)]
        unknown = sorted(str(key) for key in data if key not in known)
        if unknown:
            raise ConfigError(
                f"{cls.group()} has unknown {', '.join(unknown)}; known: {', '.join(known)}"
            )
        return cls(**data)

    def _whole(self, name: str, low: int, high: int) -> None:
        value = getattr(self, name)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise ConfigError(
                f"{self.group()}: {name} is {value!r}; it must be a whole number"
                f" from {low} to {high}"
            )

    def _number(self, name: str, low: float, high: float) -> None:
        value = getattr(self, name)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not (math.isfinite(value) and low <= value <= high)
        ):
            raise ConfigError(
                f"{self.group()}: {name} is {value!r}; it must be a number from {low:g} to {high:g}"
            )
        object.__setattr__(self, name, float(value))

    def _text(self, name: str, most: int, *, needed: bool = False) -> None:
        value = getattr(self, name)
        if not isinstance(value, str) or len(value) > most or (needed and not value.strip()):
            wanted = f"a text of at most {most} characters"
            raise ConfigError(f"{self.group()}: {name} is {value!r}; it must be {wanted}")


@dataclass(frozen=True, kw_only=True)
class Budget(Options):
    """What a run may spend; None is no limit. Every request that is sent counts, retries too."""

    calls: int | None = None
    tokens: int | None = None
    """Prompt and completion together."""
    usd: float | None = None
    """US dollars. A model of unknown price may not be called under such a limit."""
    minutes: float | None = None
    """Of wall time since the run was started; for every writer."""

    def __post_init__(self) -> None:
        for name in ("calls", "tokens"):
            if getattr(self, name) is not None:
                self._whole(name, 0, 10**12)
        for name in ("usd", "minutes"):
            if getattr(self, name) is not None:
                self._number(name, 0, 10**9)


@dataclass(frozen=True, kw_only=True)
class ModelRef(Options):
    """A model at an endpoint, with its weight in the ensemble."""

    model: str
    """As litellm names it (``openai/gpt-4o``, ``ollama/llama3``) or as the endpoint lists it."""
    endpoint: str = ""
    """Name of an endpoint that the administrator defined; empty on the command line alone."""
    weight: float = 1.0

    @classmethod
    def group(cls) -> str:
        return "model"

    def __post_init__(self) -> None:
        self._text("model", 200, needed=True)
        self._text("endpoint", 100)
        self._number("weight", 0, 10**6)


@dataclass(frozen=True, kw_only=True)
class ModelChoice(Options):
    """Which language models are asked, and how. Needed by the writer ``llm`` and ``llm_agent``."""

    models: tuple[ModelRef, ...]
    """The ensemble: each call draws one by weight, with the step's seed."""
    fallbacks: tuple[ModelRef, ...] = ()
    """Asked in order when the model drawn cannot be had."""
    api_base: str = ""
    """Command line only: the address for models that name no endpoint."""
    api_key_env: str = ""
    """Command line only: the variable that holds the key for ``api_base``. Never a key itself."""
    temperature: float | None = None
    """0 to 2; None leaves it to the model."""
    top_p: float | None = None
    max_tokens: int = 8192
    """Of one answer, 1 to 1,000,000."""
    deadline_seconds: float = 300.0
    """For one request, from the first byte sent to the last byte read."""
    retries: int = 4
    """Further requests after rate limits, timeouts and server errors, 0 to 20."""

    @classmethod
    def group(cls) -> str:
        return "model"

    def __post_init__(self) -> None:
        for name in ("models", "fallbacks"):
            value = getattr(self, name)
            if isinstance(value, str) or not isinstance(value, tuple | list) or len(value) > 20:
                raise ConfigError(f"model: {name} is {value!r}; it must be a list of models")
            object.__setattr__(self, name, tuple(ModelRef.from_json(item) for item in value))
        if not any(ref.weight > 0 for ref in self.models):
            raise ConfigError("model: models is empty; name a model with a weight above 0")
        self._text("api_base", 500)
        self._text("api_key_env", 200)
        for name, high in (("temperature", 2.0), ("top_p", 1.0)):
            if getattr(self, name) is not None:
                self._number(name, 0, high)
        self._whole("max_tokens", 1, 1_000_000)
        self._number("deadline_seconds", 0.05, 86_400)
        self._whole("retries", 0, 20)


@dataclass(frozen=True, kw_only=True)
class Evolution(Options):
    """The program database of AlphaEvolve (the number of proposals is ``proposals``)."""

    islands: int = 4
    """Populations that evolve apart, 1 to 64."""
    window: int = 4
    """W: proposal i sees the archive as it was after result i - W, so W may be in work at once."""
    migration: int = 20
    """Results between two migrations of the islands' best programs, 1 to 10,000."""
    screen_episodes: int = 2
    """Episodes per opponent before a program is worth full matches; at most ``episodes``."""
    stagnation: int = 0
    """Stop after this many results in a row that improve nothing; 0 never stops for it."""

    def __post_init__(self) -> None:
        for name, low, high in (
            ("islands", 1, 64),
            ("window", 1, 256),
            ("migration", 1, 10_000),
            ("screen_episodes", 1, 10_000),
            ("stagnation", 0, 100_000),
        ):
            self._whole(name, low, high)


@dataclass(frozen=True, kw_only=True)
class Agent(Options):
    """``llm_agent``: a model asked at every turn."""

    turns: int = 20
    """Decisions asked per episode; what is not asked is not played, and the figures say so."""
    opponents: int = 5
    """Evaluation opponents that are met, drawn with the run's seed; at most all of them."""
    episodes: int = 1
    """Episodes against each."""

    def __post_init__(self) -> None:
        self._whole("turns", 1, 100_000)
        self._whole("opponents", 1, 1_000)
        self._whole("episodes", 1, 1_000)


@dataclass(frozen=True, kw_only=True)
class Impala(Options):
    """PSRO-IMPALA: a recurrent actor-critic with V-trace as the oracle."""

    frames: int = 2_000_000
    """Decisions of the learner per best response, 1,000 to 10**9."""
    hidden: int = 64
    """Units of the LSTM, 8 to 256."""
    learning_rate: float = 2e-3
    entropy: float = 0.003
    """Weight of the entropy bonus."""
    unroll: int = 20
    """Steps of one V-trace update."""
    environments: int = 64
    """Episodes that are played side by side."""

    def __post_init__(self) -> None:
        self._whole("frames", 1_000, 10**9)
        self._whole("hidden", 8, 256)
        self._number("learning_rate", 1e-7, 1.0)
        self._number("entropy", 0, 10)
        self._whole("unroll", 2, 1_000)
        self._whole("environments", 1, 1_024)


@dataclass(frozen=True, kw_only=True)
class Challenged(Options):
    """A frozen opponent of a challenge: a program, or a reference bot, with its weight."""

    name: str
    source: str = ""
    """The program; empty when ``bot`` names a reference bot."""
    bot: str = ""
    weight: float = 1.0
    policy: int | None = None
    """Number of the stored policy that it was taken from, for the record."""

    @classmethod
    def group(cls) -> str:
        return "challenge"

    def __post_init__(self) -> None:
        self._text("name", 120, needed=True)
        self._text("source", 1_000_000)
        self._text("bot", 120)
        self._number("weight", 1e-9, 10**6)
        if bool(self.source) == bool(self.bot):
            raise ConfigError(f"challenge: {self.name!r} needs either a program or a bot")
        if self.policy is not None:
            self._whole("policy", 1, 2**62)
