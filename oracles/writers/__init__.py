"""Who proposes code, by name. A writer's package is imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from oracles.config import ConfigError, WriterName
from oracles.models.access import ModelClient
from oracles.task import Writer
from oracles.writers.replay import Recordings, no_recordings

HERE = (WriterName.GRAMMAR, WriterName.REPLAY)
"""Writers that need nothing but this package."""


def make_writer(
    name: WriterName,
    recordings: Recordings = no_recordings,
    models: ModelClient | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Writer:
    """The writer called ``name``.

    ``recordings`` gives ``replay`` its completions. ``llm`` asks ``models``, and gives up soon
    after ``should_stop`` said so.

    Raises:
        ConfigError: on an unknown name, or one that needs what is not given.
    """
    match name:
        case WriterName.GRAMMAR:
            from oracles.writers.grammar import GrammarWriter

            return GrammarWriter()
        case WriterName.REPLAY:
            from oracles.writers.replay import ReplayWriter

            return ReplayWriter(recordings)
        case WriterName.LLM if models is not None:
            from oracles.writers.llm import LlmWriter

            return LlmWriter(models, should_stop)
        case _:
            raise ConfigError(f"the writer {name} cannot be had here")


class LazyWriters(Mapping[WriterName, Writer]):
    """All writers, each made when it is first asked for (:class:`oracles.loop.Tools` takes it)."""

    def __init__(
        self,
        recordings: Recordings = no_recordings,
        models: ModelClient | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> None:
        self._recordings, self._models, self._should_stop = recordings, models, should_stop
        self._names = HERE if models is None else (*HERE, WriterName.LLM)
        self._made: dict[WriterName, Writer] = {}

    def __getitem__(self, name: WriterName) -> Writer:
        if name not in self._made:
            self._made[name] = make_writer(name, self._recordings, self._models, self._should_stop)
        return self._made[name]

    def __iter__(self) -> Iterator[WriterName]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
