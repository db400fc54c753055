"""What is asked of the referee (:class:`MatchSpec`) and what it answers (:class:`MatchResult`)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from games.behaviour import Tally
from games.players import Player

ENGINE_VERSION = "1"
"""Raised whenever the same match would give other numbers than before."""

DEFAULT_BATCH_SIZE = 64
"""Episodes that share one policy process. Part of the match key, never of the machine."""


class SandboxLevel(StrEnum):
    """How well the policies of a result were locked in, strongest first."""

    FULL = "full"
    KERNEL = "kernel"
    PROCESS = "process"


class FaultKind(StrEnum):
    """Why a decision was forfeited."""

    ILLEGAL_ACTION = "illegal action"
    EXCEPTION = "exception"
    TIMEOUT = "timeout"
    CRASH = "crash"
    CONSTRUCTOR = "constructor"
    PROTOCOL = "protocol violation"


NOT_READY = "while it was loaded or constructed"
"""Begins the detail of a timeout or crash before the first decision."""


@dataclass(frozen=True)
class SeatReport:
    """Faults of one side over a whole match.

    ``counts`` maps a :class:`FaultKind` value to the number of forfeited decisions. ``tracebacks``
    holds a few distinct ones, capped, as untrusted text.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    tracebacks: tuple[str, ...] = ()
    output: str = ""
    tally: Tally | None = None
    """What it did, as its game counts it; None in matches stored before anything was counted."""

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def never_ready(self) -> bool:
        """Whether an episode found no policy to ask: loading or constructing it failed."""
        begins = tuple(f"{kind}: {NOT_READY}" for kind in FaultKind)
        died = any(text.startswith(begins) for text in self.tracebacks)
        return died or FaultKind.CONSTRUCTOR in self.counts

    def to_json(self) -> dict[str, Any]:
        return {
            "counts": dict(self.counts),
            "tracebacks": list(self.tracebacks),
            "output": self.output,
            "tally": None if self.tally is None else dict(self.tally),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SeatReport:
        return cls(
            dict(data["counts"]), tuple(data["tracebacks"]), data["output"], data.get("tally")
        )


@dataclass(frozen=True)
class MatchSpec:
    """``episodes`` episodes of ``a`` against ``b``; everything that decides the numbers is here.

    For a game whose seats differ, one episode is a pair of plays with the seats swapped on the same
    deals, and its payoff is their mean.
    """

    game: str
    a: Player
    b: Player
    episodes: int
    seed: int
    params: Mapping[str, Any] = field(default_factory=dict)
    batch_size: int = DEFAULT_BATCH_SIZE

    def __post_init__(self) -> None:
        if self.episodes < 1:
            raise ValueError(f"a match needs at least one episode, got {self.episodes}")
        if self.batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, got {self.batch_size}")
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"seed must lie in [0, 2**63), got {self.seed}")

    def key(self, level: SandboxLevel, *, engine_version: str | None = None) -> str:
        """Content key (64 hex digits): equal keys mean equal numbers, in any run on any machine.

        ``engine_version`` is that of a match that was played; None is the one that plays here.
        """
        text = json.dumps(
            {
                "a": self.a.key,
                "b": self.b.key,
                "batch_size": self.batch_size,
                "engine": ENGINE_VERSION if engine_version is None else engine_version,
                "episodes": self.episodes,
                "game": self.game,
                "level": str(level),
                "params": dict(self.params),
                "seed": self.seed,
            },
            sort_keys=True,
        )
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class MatchResult:
    """Payoffs to ``a``, one per episode in order (``-payoff`` to ``b``: both games are zero-sum).

    ``reproducible`` is false when a time limit decided something, so that a repetition may differ.
    ``seconds`` is wall time, ``cpu_seconds`` the CPU of referee and policies (None: unknown).
    """

    payoffs: tuple[float, ...]
    a: SeatReport
    b: SeatReport
    decisions: int
    seconds: float
    sandbox_level: SandboxLevel
    reproducible: bool = True
    cpu_seconds: float | None = None
    engine_version: str = field(default_factory=lambda: ENGINE_VERSION)

    @property
    def mean(self) -> float:
        return sum(self.payoffs) / len(self.payoffs)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data; :meth:`from_json` is its inverse."""
        return {
            "payoffs": list(self.payoffs),
            "a": self.a.to_json(),
            "b": self.b.to_json(),
            "decisions": self.decisions,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "sandbox_level": str(self.sandbox_level),
            "reproducible": self.reproducible,
            "engine_version": self.engine_version,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> MatchResult:
        return cls(
            payoffs=tuple(data["payoffs"]),
            a=SeatReport.from_json(data["a"]),
            b=SeatReport.from_json(data["b"]),
            decisions=data["decisions"],
            seconds=data["seconds"],
            cpu_seconds=data["cpu_seconds"],
            sandbox_level=SandboxLevel(data["sandbox_level"]),
            reproducible=data["reproducible"],
            engine_version=data["engine_version"],
        )
