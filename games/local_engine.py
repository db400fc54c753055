"""The match engine of this machine: referee processes behind the door of :mod:`games.engine`."""

from __future__ import annotations

import selectors
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from games.base import Game
from games.batches import Batch, BatchResult, cut, merge
from games.engine import EngineError, MatchCancelled
from games.match import MatchResult, MatchSpec, SandboxLevel
from games.players import BotPlayer, MixturePlayer
from games.referee_handle import RefereeHandle
from games.registry import get_game

_POLL_SECONDS = 0.1
_MAX_REFEREE_DEATHS = 2
"""A batch that kills its referee this often (a native bot aborted) is an error, not a result."""


@dataclass
class _Task:
    """A batch to be played, of the match at ``index``."""

    index: int
    number: int
    batch: Batch
    deaths: int = 0


@dataclass
class _Match:
    game: Game
    spec: MatchSpec
    batches: list[Batch]
    results: dict[int, BatchResult] = field(default_factory=dict)


class LocalEngine:
    """Plays matches in up to ``workers`` referee processes, each on a core of its own.

    Every policy runs in the sandbox at ``required`` or stronger. Numbers depend on the specs alone:
    batches are cut by the match key and merged in their order, whoever played them. An engine
    belongs to one thread at a time and must be made after a fork, not before; ``close`` it, or use
    it as a context manager. When its process dies, however it dies, its referees die too.

    Raises:
        SandboxUnavailable: when the machine does not reach ``required``.
        ValueError: when ``workers`` is less than 1.
    """

    def __init__(self, required: SandboxLevel = SandboxLevel.KERNEL, *, workers: int = 1) -> None:
        if workers < 1:
            raise ValueError(f"an engine needs at least one worker, got {workers}")
        self._required = required
        self._workers = workers
        self._idle = [RefereeHandle(required)]
        self._busy: dict[RefereeHandle, _Task] = {}
        self._level = self._idle[0].level

    @property
    def level(self) -> SandboxLevel:
        """The level that every policy of this engine runs at."""
        return self._level

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End all referees, also those in the middle of a match; the engine cannot play again."""
        for referee in (*self._idle, *self._busy):
            referee.kill()
        self._idle.clear()
        self._busy.clear()
        self._workers = 0

    def play(
        self,
        specs: Sequence[MatchSpec],
        *,
        on_result: Callable[[int, MatchResult], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> list[MatchResult]:
        """See :meth:`games.engine.MatchEngine.play`."""
        results: dict[int, MatchResult] = {}

        def keep(index: int, match: _Match) -> None:
            ordered = [match.results[number] for number in range(len(match.batches))]
            result = merge(match.game, match.spec, match.batches, ordered, self.level)
            results[index] = result
            if on_result is not None:
                on_result(index, result)

        self._play([_prepare(spec) for spec in specs], keep, should_stop, record=False)
        return [results[index] for index in range(len(specs))]

    def play_recorded(
        self, spec: MatchSpec, *, should_stop: Callable[[], bool] | None = None
    ) -> tuple[MatchResult, list[tuple[Batch, BatchResult]]]:
        """One match with what happened in each episode (see :mod:`games.replay`)."""
        match = _prepare(spec)
        recorded = self._record(match, should_stop)
        ordered = [result for _, result in recorded]
        return merge(match.game, spec, match.batches, ordered, self.level), recorded

    def record_episode(
        self, spec: MatchSpec, episode: int, *, should_stop: Callable[[], bool] | None = None
    ) -> list[tuple[Batch, BatchResult]]:
        """See :meth:`games.engine.MatchEngine.record_episode`."""
        match = _prepare(spec)
        match.batches = [
            replace(batch, episodes=(episode,))
            for batch in match.batches
            if episode in batch.episodes
        ]
        return self._record(match, should_stop)

    def _record(
        self, match: _Match, should_stop: Callable[[], bool] | None
    ) -> list[tuple[Batch, BatchResult]]:
        self._play([match], lambda index, ended: None, should_stop, record=True)
        return [(batch, match.results[number]) for number, batch in enumerate(match.batches)]

    def _play(
        self,
        matches: Sequence[_Match],
        on_match: Callable[[int, _Match], None],
        should_stop: Callable[[], bool] | None,
        *,
        record: bool,
    ) -> None:
        if self._workers == 0:
            raise EngineError("this engine was closed; make a new one")
        tasks = deque(
            _Task(index, number, batch)
            for index, match in enumerate(matches)
            for number, batch in enumerate(match.batches)
        )
        try:
            with selectors.DefaultSelector() as selector:
                while tasks or self._busy:
                    self._hand_out(tasks, selector, record)
                    for key, _ in selector.select(_POLL_SECONDS):
                        task, result = self._collect(key.data, selector, tasks)
                        if result is None:
                            continue
                        match = matches[task.index]
                        match.results[task.number] = result
                        if len(match.results) == len(match.batches):
                            on_match(task.index, match)
                    if should_stop is not None and should_stop() and (tasks or self._busy):
                        raise MatchCancelled("the matches were stopped before they ended")
        finally:
            for referee in self._busy:  # only after an exception: nothing goes on behind its back
                referee.kill()
            self._busy.clear()

    def _hand_out(
        self, tasks: deque[_Task], selector: selectors.BaseSelector, record: bool
    ) -> None:
        while tasks and len(self._busy) < self._workers:
            referee = self._idle.pop() if self._idle else RefereeHandle(self._required)
            task = tasks.popleft()
            self._busy[referee] = task
            selector.register(referee.connection, selectors.EVENT_READ, referee)
            try:
                referee.ask(task.batch.to_json(), record=record)
            except EOFError:
                selector.unregister(referee.connection)
                self._bury(referee, tasks)

    def _collect(
        self, referee: RefereeHandle, selector: selectors.BaseSelector, tasks: deque[_Task]
    ) -> tuple[_Task, BatchResult | None]:
        task = self._busy[referee]
        selector.unregister(referee.connection)
        try:
            answer = referee.answer()
        except EOFError:
            self._bury(referee, tasks)
            return task, None
        if "error" in answer:
            raise EngineError(f"{_describe(task.batch)}: {answer['error']}\n{answer['traceback']}")
        del self._busy[referee]
        self._idle.append(referee)
        return task, BatchResult.from_json(answer["result"])

    def _bury(self, referee: RefereeHandle, tasks: deque[_Task]) -> None:
        """A referee died: give its batch to a fresh one, unless it has killed one before."""
        task = self._busy.pop(referee)
        words = referee.last_words()
        task.deaths += 1
        if task.deaths >= _MAX_REFEREE_DEATHS:
            raise EngineError(f"{_describe(task.batch)} ended its referee twice: {words}")
        tasks.appendleft(task)


def _prepare(spec: MatchSpec) -> _Match:
    game = get_game(spec.game, spec.params)
    for player in (spec.a, spec.b):
        inner = [p for _, p in player.components] if isinstance(player, MixturePlayer) else [player]
        for single in inner:
            if isinstance(single, BotPlayer):
                game.check_bot(single.name)
    return _Match(game, spec, cut(game, spec))


def _describe(batch: Batch) -> str:
    episodes = f"episodes {batch.episodes[0]} to {batch.episodes[-1]}"
    return f"{batch.game}: {batch.a.key} against {batch.b.key}, seed {batch.seed}, {episodes}"
