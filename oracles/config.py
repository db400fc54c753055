"""What a run is: every choice that its numbers depend on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any

from games.base import Game, GameError
from games.registry import get_game
from oracles.choices import (
    BASELINES,
    UNTRAINED,
    ContextMode,
    OpponentChoice,
    OracleName,
    SolverName,
    WriterName,
)
from oracles.options import (
    Agent,
    Budget,
    Challenged,
    ConfigError,
    Evolution,
    Impala,
    ModelChoice,
    Options,
)
from oracles.prompt_parts import checked_prompts
from oracles.splits import can_be_split

__all__ = [
    "BASELINES",
    "BOT_PREFIX",
    "ConfigError",
    "ContextMode",
    "OpponentChoice",
    "OracleName",
    "RunConfig",
    "SolverName",
    "WriterName",
    "defaults_for",
]

BOT_PREFIX = "bot:"
"""``initial`` names a reference bot with this prefix."""


_RANGES: Mapping[str, tuple[int, int]] = {
    "iterations": (1, 200),
    "episodes": (1, 10_000),
    "evaluation_episodes": (1, 10_000),
    "refinements": (1, 100),
    "proposals": (1, 10_000),
    "cfr_iterations": (1, 1_000_000),
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
_GROUPS: Mapping[str, type[Options]] = {
    "budget": Budget,
    "evolution": Evolution,
    "agent": Agent,
    "impala": Impala,
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
    proposals: int = 10
    """N of best-of-N, or AlphaEvolve's proposals per best response, 1 to 10,000."""
    evolution: Evolution = field(default_factory=Evolution)
    context_tokens: int | None = None
    """Size that the opponents' part of a prompt may have; the lightest are dropped first."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Prompt texts that were edited for this run, by the name of their file in ``prompts/``."""
    model: ModelChoice | None = None
    """Which language models are asked; needed by ``llm`` and ``llm_agent``."""
    budget: Budget = field(default_factory=Budget)
    split: int | None = None
    """Train on 33 of the RRPS bots and hold out 10: the number of the split, 0 to 49."""
    challenge: tuple[Challenged, ...] = ()
    """Frozen opponents of a challenge; empty for an ordinary run."""
    agent: Agent = field(default_factory=Agent)
    impala: Impala = field(default_factory=Impala)
    cfr_iterations: int = 10_000
    """Iterations of CFR+, 1 to 1,000,000."""

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
        for name, group in _GROUPS.items():
            object.__setattr__(self, name, group.from_json(getattr(self, name)))
        self._check_model()
        self._check_optional()
        game = self._validated_game()
        object.__setattr__(self, "params", dict(game.params))
        object.__setattr__(self, "initial", _initial_names(game, self.initial))
        if self.split is not None:
            self._check_split(game)
        if self.challenge:
            self._check_challenge(game)

    def _check_challenge(self, game: Game) -> None:
        if self.oracle in UNTRAINED:
            raise ConfigError(f"oracle is {self.oracle}; it makes no best responses to a challenge")
        if self.initial or self.split is not None:
            raise ConfigError("challenge: its opponents are the population; leave out the others")
        for opponent in self.challenge:
            if opponent.bot:
                try:
                    game.check_bot(opponent.bot)
                except GameError as error:
                    raise ConfigError(f"challenge: {error}") from error

    def _check_model(self) -> None:
        if self.model is not None:
            object.__setattr__(self, "model", ModelChoice.from_json(self.model))
        asks = self.oracle is OracleName.LLM_AGENT or (
            self.writer is WriterName.LLM and self.oracle not in BASELINES
        )
        if asks and self.model is None:
            raise ConfigError("model is missing; name the language model that is to be asked")

    def _check_optional(self) -> None:
        if self.context_tokens is not None:
            _require_integer("context_tokens", self.context_tokens, 100, 10_000_000)
        if self.split is not None:
            _require_integer("split", self.split, 0, 49)
        object.__setattr__(self, "prompts", checked_prompts(self.prompts))
        if isinstance(self.challenge, str) or not isinstance(self.challenge, tuple | list):
            raise ConfigError(f"challenge is {self.challenge!r}; it must be a list of opponents")
        challenged = tuple(Challenged.from_json(item) for item in self.challenge)
        object.__setattr__(self, "challenge", challenged)

    def _check_split(self, game: Game) -> None:
        if not can_be_split(game):
            raise ConfigError(
                f"split is {self.split}; {game.name} has no 43 bots to divide; only rrps has"
            )
        if self.oracle in UNTRAINED:
            raise ConfigError(f"split is {self.split}; {self.oracle} trains against nobody")
        bots = [name for name in self.initial if name.startswith(BOT_PREFIX)]
        if bots:
            raise ConfigError(
                f"initial has {', '.join(bots)} and split is {self.split}; a split chooses the bots"
                " itself: leave out the one or the other"
            )

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
        plain: dict[str, Any] = _plain(data)
        return plain

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


def _plain(value: Any) -> Any:
    """``value`` as JSON data: names for members of enums, lists for tuples."""
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


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
