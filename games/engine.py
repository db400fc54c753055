"""The door to the match engine. Callers see this; referee processes and jails are behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from games.match import MatchResult, MatchSpec, SandboxLevel


class EngineError(Exception):
    """The engine itself failed (never: a policy failed). The message says what to do."""


class SandboxUnavailable(EngineError):
    """The machine does not reach the required sandbox level; the message names what is missing."""


class MatchEngine(Protocol):
    """Plays matches. Results depend on the specs alone, not on order, workers or machine."""

    @property
    def level(self) -> SandboxLevel:
        """The level that every policy of this engine runs at."""
        ...

    def play(
        self,
        specs: Sequence[MatchSpec],
        *,
        on_result: Callable[[int, MatchResult], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> list[MatchResult]:
        """Play all specs; ``on_result(index, result)`` is called as each ends, in any order."""
        ...

    def close(self) -> None: ...
