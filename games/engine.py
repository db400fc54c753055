"""The door to the match engine. Callers see this; referee processes and jails are behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from games.batches import Batch, BatchResult
from games.match import MatchResult, MatchSpec, SandboxLevel


class EngineError(Exception):
    """The engine itself failed (never: a policy failed). The message says what to do."""


class SandboxUnavailable(EngineError):
    """The machine does not reach the required sandbox level; the message names what is missing."""


class MatchCancelled(EngineError):
    """``should_stop`` said so. Results that had ended were given to ``on_result``."""


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
        """Play all specs; ``on_result(index, result)`` is called as each ends, in any order.

        Raises:
            MatchCancelled: soon after ``should_stop`` (polled a few times a second) returned true.
            GameError: when a game, a parameter or a bot of a spec does not exist.
            EngineError: when a match cannot be played for a reason that is not a policy's.
        """
        ...

    def record_episode(
        self,
        spec: MatchSpec,
        episode: int,
        *,
        should_stop: Callable[[], bool] | None = None,
    ) -> list[tuple[Batch, BatchResult]]:
        """Episode ``episode`` of a match once more, alone, with the record of what happened.

        Two plays where the seats differ. Raises what :meth:`play` raises.
        """
        ...

    def close(self) -> None: ...
