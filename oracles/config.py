"""What a run is: every choice that its numbers depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


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


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """Everything a run's numbers depend on, apart from recorded completions and the engine version.

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
    """LinearRefinement stops at a mean utility against sigma above this."""
    training_solver: SolverName = SolverName.NASH
    evaluation_solver: SolverName = SolverName.NASH
    initial: tuple[str, ...] = ()
    """Names out of the game's initial population and ``bot:NAME``; empty means its default."""
    allow_faulty: bool = False
    """Whether a policy with faults may join the population."""
    seed: int = 0
    recording: str = ""
    """For the writer ``replay``: what names the recorded run."""

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data; :meth:`from_json` is its inverse."""
        data = asdict(self)
        data["params"] = dict(self.params)
        data["initial"] = list(self.initial)
        return {key: str(value) if isinstance(value, StrEnum) else value for key, value in data.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunConfig:
        raise NotImplementedError
