"""What travels between a referee and the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from games.match import FaultKind

ILLEGAL_ACTION = -1
"""Reply code: the policy answered something that is not among its legal actions."""
EXCEPTION = -2
"""Reply code: the policy raised an exception."""
CONSTRUCTOR_FAILED = -3
"""Reply code: this episode has no policy instance."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one policy process may use. Times in seconds, sizes in bytes."""

    construct_seconds: float = 2.0
    """CPU to load the source and construct the instances (plus one decision's worth for each)."""
    decision_seconds: float = 0.1
    """CPU per decision; a message that asks for N decisions gets N times that."""
    idle_seconds: float = 2.0
    """Wall time that a decision may spend neither computing nor waiting for a free core."""
    wall_factor: float = 20.0
    """Backstop: a message may last this many times its CPU budget plus ten seconds."""
    total_cpu_seconds: float = 3600.0
    """CPU over the life of the process (held by the kernel, to the next whole second)."""
    address_space: int = 512 * 1024 * 1024
    open_files: int = 32

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise ValueError(f"Limits.{name} must be positive, got {value!r}")


@dataclass(frozen=True, kw_only=True)
class Job:
    """One policy process: a policy's source, the game's view, and a batch of episodes.

    ``setup`` is plain JSON data for the view's ``make_view``. ``seed`` (any 64-bit integer) seeds
    ``random`` and NumPy's global generator before the source is loaded. ``num_actions``, where
    given, bounds every reply: an index at or above it is a protocol violation.
    ``guard_imports=False`` takes the import guard away, so that the jail alone is tested.
    """

    source: str
    view_source: str
    setup: Mapping[str, Any]
    num_episodes: int
    seed: int
    limits: Limits = field(default_factory=Limits)
    num_actions: int | None = None
    guard_imports: bool = True

    def __post_init__(self) -> None:
        if self.num_episodes < 1:
            raise ValueError(f"a job needs at least one episode, got {self.num_episodes}")


@dataclass(frozen=True)
class StartReport:
    """Which episodes have no instance, because the source or its constructor failed."""

    failed: tuple[int, ...]


@dataclass(frozen=True)
class ProcessReport:
    """What a policy process left behind: untrusted text, capped, without control characters.

    ``tracebacks`` holds the first few distinct ones, each with the episode it was first seen in.
    """

    tracebacks: tuple[tuple[int, str], ...] = ()
    output: str = ""


class PolicyFault(Exception):
    """The policy's process is dead: killed at a limit, crashed, or it broke the protocol."""

    def __init__(self, kind: FaultKind, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
