"""What a run is: every choice that its numbers depend on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any

from games.base import Game, GameError
from games.registry import get_game

BOT_PREFIX = "bot:"
"""``initial`` names a reference bot with this prefix."""


class ConfigError(ValueError):
    """A run that cannot be; the message names the field, the value and what would do."""


class OracleName(StrEnum):
    ZERO_SHOT = "zero_shot"
    LINEAR_REFINEMENT = "linear_refinement"


class WriterName(StrEnum):
    GRAMMAR = "grammar"
    REPLAY = "replay"


class ContextMode(StrEnum):
    """How an opponent is shown to the writer (CSRO, section on context)."""

    CODE = "code"
    SUMMARY = "summary"
    NONE = "none"


class OpponentChoice(StrEnum):
    """Which opponents are shown: all, those in the support of the mixture, or its five heaviest."""

    ALL = "all"
    SUPPORT = "support"
    TOP5 = "top5"


class SolverName(StrEnum):
    NASH = "nash"
    UNIFORM = "uniform"


_RANGES: Mapping[str, tuple[int, int]] = {
    "iterations": (1, 200),
    "episodes": (1, 10_000),
    "evaluation_episodes": (1, 10_000),
    "refinements": (1, 100),
    "seed": (0, 2**63 - 1),
}
_ENUMS: Mapping[str, type[StrEnum]] = {
    "oracle": OracleName,
    "writer": WriterName,
    "context": ContextMode,
    "opponents": OpponentChoice,
    "training_solver": SolverName,
    "evaluation_solver": SolverName,
}
_GAME_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    # The targets are the largest payoff an episode can have (1000 throws; 100 hands of 13 chips):
    # every best response gets all of its M proposals (docs/explanation/csro-loop.md says why).
    "rrps": {"episodes": 10, "evaluation_episodes": 20, "target": 1000.0},
    "leduc": {"episodes": 64, "evaluation_episodes": 400, "target": 1300.0},
}


def defaults_for(game: str) -> dict[str, Any]:
    """What :meth:`RunConfig.from_json` takes for what ``game`` has its own defaults for."""
    return dict(_GAME_DEFAULTS.get(game, {}))


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """Everything a run's numbers depend on, apart from recorded completions and the engine version.

    The constructor's defaults are the paper's; :meth:`from_json` takes the game's own
    (:func:`defaults_for`) for what is not said.

    Raises:
        ConfigError: when a field is out of its range.
    """

    game: str
    params: Mapping[str, Any] = field(default_factory=dict)
    oracle: OracleName = OracleName.LINEAR_REFINEMENT
    writer: WriterName = WriterName.GRAMMAR
    context: ContextMode = ContextMode.CODE
    opponents: OpponentChoice = OpponentChoice.SUPPORT
    iterations: int = 5
    """Best responses to add, 1 to 200."""
    episodes: int = 10
    """Episodes per cell of the payoff matrix, 1 to 10,000."""
    evaluation_episodes: int = 20
    """Episodes per held-out opponent at the end of the run, 1 to 10,000."""
    refinements: int = 10
    """M of LinearRefinement: proposals per best response, 1 to 100."""
    target: float = 0.0
    """LinearRefinement stops once the mean utility against sigma reaches this."""
    training_solver: SolverName = SolverName.NASH
    evaluation_solver: SolverName = SolverName.NASH
    initial: tuple[str, ...] = ()
    """Names out of the game's initial population and ``bot:NAME``; empty means its default."""
    allow_faulty: bool = False
    """Whether a policy with faults may join the population."""
    seed: int = 0
    recording: str = ""
    """For the writer ``replay``: what names the recorded run."""

    def __post_init__(self) -> None:
        for name, enum in _ENUMS.items():
            object.__setattr__(self, name, _member(name, enum, getattr(self, name)))
        for name, (low, high) in _RANGES.items():
            _require_integer(name, getattr(self, name), low, high)
        object.__setattr__(self, "target", _finite("target", self.target))
        if not isinstance(self.allow_faulty, bool):
            raise ConfigError(f"allow_faulty is {self.allow_faulty!r}; it must be true or false")
        if not isinstance(self.recording, str):
            raise ConfigError(f"recording is {self.recording!r}; it must be a text")
        if self.writer is WriterName.REPLAY and not self.recording:
            raise ConfigError("recording is empty; the writer 'replay' needs the name of a run")
        game = self._validated_game()
        object.__setattr__(self, "params", dict(game.params))
        object.__setattr__(self, "initial", _initial_names(game, self.initial))

    def _validated_game(self) -> Game:
        if not isinstance(self.params, Mapping):
            raise ConfigError(f"params is {self.params!r}; it must map names to values")
        try:
            return get_game(self.game, self.params)
        except GameError as error:
            field_name = "params" if self.params else "game"
            raise ConfigError(f"{field_name}: {error}") from error

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data; :meth:`from_json` is its inverse."""
        data = asdict(self)
        data["params"] = dict(self.params)
        data["initial"] = list(self.initial)
        return {
            key: str(value) if isinstance(value, StrEnum) else value for key, value in data.items()
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunConfig:
        """The run that ``data`` describes; only ``game`` is needed.

        Raises:
            ConfigError: on an unknown or missing key, or a value that will not do.
        """
        if not isinstance(data, Mapping):
            raise ConfigError(f"a run is described by a JSON object, not by {data!r}")
        known = {item.name for item in fields(cls)}
        unknown = sorted(str(key) for key in data if key not in known)
        if unknown:
            raise ConfigError(f"unknown: {', '.join(unknown)}; known: {', '.join(sorted(known))}")
        if "game" not in data:
            raise ConfigError("game is missing; name the game to play")
        return cls(**{**defaults_for(str(data["game"])), **data})


def _member(name: str, enum: type[StrEnum], value: object) -> StrEnum:
    try:
        return enum(str(value))
    except ValueError:
        allowed = ", ".join(enum)
        raise ConfigError(f"{name} is {value!r}; it must be one of {allowed}") from None


def _require_integer(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ConfigError(f"{name} is {value!r}; it must be a whole number from {low} to {high}")


def _finite(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ConfigError(f"{name} is {value!r}; it must be a finite number")
    return float(value)


def _initial_names(game: Game, names: object) -> tuple[str, ...]:
    """The names as given, checked.

    Raises:
        ConfigError: on an unknown or repeated name, or when no held-out opponent would be left.
    """
    if isinstance(names, str) or not isinstance(names, tuple | list):
        raise ConfigError(f"initial is {names!r}; it must be a list of names")
    policies = [policy.name for policy in game.initial_population()]
    bots = {BOT_PREFIX + bot.name for bot in game.bots()}
    for name in names:
        if name not in policies and name not in bots:
            raise ConfigError(
                f"initial has {name!r}; it may have {', '.join(policies)}"
                f" and {BOT_PREFIX}NAME with a name that './csro bots --game {game.name}' lists"
            )
    if len(set(names)) < len(names):
        raise ConfigError(f"initial is {list(names)!r}; each name may stand there once")
    held_out = {BOT_PREFIX + name for name in game.evaluation_population()}
    if held_out <= set(names):
        raise ConfigError("initial has every evaluation opponent; leave at least one held out")
    return tuple(names)
