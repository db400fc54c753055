"""What an oracle is asked for, and what a writer is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from games.base import Game
from oracles.config import ContextMode
from oracles.options import ModelChoice


@dataclass(frozen=True)
class OpponentView:
    """An opponent as the writer may see it: what the context mode hides is None."""

    name: str
    weight: float
    code: str | None
    summary: str | None
    by_model: bool = False
    """Whether a language model wrote the summary; else the program, or the game, says it."""


@dataclass(frozen=True)
class Feedback:
    """What became of an earlier proposal of the same task, as the next proposal may know it."""

    source: str | None
    accepted: bool
    reason: str
    score: float | None
    per_opponent: Mapping[str, float]
    """Mean payoff by opponent name (``opponent 1``, ... when the context hides them)."""
    improved: bool | None
    text: str
    """The same in prose, as a language model reads it."""


@dataclass(frozen=True)
class WriteRequest:
    """One request to a writer. Equal requests to a deterministic writer give equal completions."""

    game: Game
    context: ContextMode
    opponents: tuple[OpponentView, ...]
    """Heaviest first; empty when the context is ``none``."""
    incumbent: str | None
    """Source of the best proposal so far, to be refined; None asks for a fresh program."""
    history: tuple[Feedback, ...]
    """Earlier proposals of this task, oldest first."""
    messages: tuple[Mapping[str, str], ...]
    """The chat prompt: ``{"role", "content"}`` each."""
    seed: int
    key: str = ""
    """Key of the candidate that is asked for, ``it<iteration>/attempt<k>``."""
    inspirations: tuple[str, ...] = ()
    """Programs of an evolution to borrow from beside the incumbent; empty for other oracles."""
    model: ModelChoice | None = None
    """Which language models may be asked, for the writer ``llm``."""
    prompt_version: str | None = None
    """Hash of the texts that ``messages`` are made of; recorded with the answer."""
    context_use: Mapping[str, Any] = field(default_factory=dict)
    """Which opponents are shown and which were dropped, as JSON data; recorded likewise."""


@dataclass(frozen=True)
class Completion:
    """A writer's answer, before anyone has read it. Unknown figures are None, never zero."""

    text: str
    model: str | None = None
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None
    model_call: bool = False
    """Whether a language model was called (the grammar is not one)."""
    requests: int = 0
    """Requests that were sent to language models for it, failed ones included."""


class Writer(Protocol):
    """Who proposes code."""

    @property
    def name(self) -> str: ...

    def write(self, request: WriteRequest) -> Completion:
        """The answer to ``request``.

        Raises:
            BudgetExhausted, ModelFailed, ModelRefused: see :mod:`oracles.models.access`.
        """
        ...
