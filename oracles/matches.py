"""Matches of a step: taken from the store where they were played before, else played and stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from games.engine import MatchEngine
from games.fixed import payoff_bound
from games.match import MatchResult, MatchSpec
from games.sandbox.text import own_frames
from oracles.text import storable

MAX_TRACEBACKS = 3
"""Distinct tracebacks that a step keeps of one match."""


class MatchStore(Protocol):
    """Content-keyed: the same match is never played twice, in any run."""

    def get(self, keys: Sequence[str]) -> Mapping[str, MatchResult]:
        """The matches among ``keys`` that are known."""
        ...

    def put(self, results: Mapping[str, tuple[MatchSpec, MatchResult]]) -> None:
        """Remember matches by key; a key that is there already stays as it is."""
        ...


class MemoryMatchStore:
    """A match store that lives as long as its process, for notebooks and tests."""

    def __init__(self) -> None:
        self._results: dict[str, MatchResult] = {}

    def __len__(self) -> int:
        return len(self._results)

    def get(self, keys: Sequence[str]) -> Mapping[str, MatchResult]:
        return {key: self._results[key] for key in keys if key in self._results}

    def put(self, results: Mapping[str, tuple[MatchSpec, MatchResult]]) -> None:
        for key, (_, result) in results.items():
            self._results.setdefault(key, result)


@dataclass(frozen=True)
class PlayedMatch:
    """A match as a step result keeps it. ``name`` is that of its seed within the run."""

    name: str
    key: str
    spec: MatchSpec
    result: MatchResult

    @property
    def bound(self) -> float:
        """See :func:`games.fixed.payoff_bound`."""
        return payoff_bound(self.spec, reproducible=self.result.reproducible)

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "key": self.key,
            "seed": self.spec.seed,
            "payoffs": list(self.result.payoffs),
            "bound": self.bound,
            "faults_a": dict(self.result.a.counts),
            "faults_b": dict(self.result.b.counts),
            "tracebacks": [
                storable(own_frames(text)) for text in self.result.a.tracebacks[:MAX_TRACEBACKS]
            ],
            "level": str(self.result.sandbox_level),
            "decisions": self.result.decisions,
            "reproducible": self.result.reproducible,
        }


def play_matches(
    specs: Mapping[str, MatchSpec],
    engine: MatchEngine,
    store: MatchStore,
    should_stop: Callable[[], bool] | None = None,
) -> list[PlayedMatch]:
    """The matches of ``specs`` by name, in order; each new one is stored as soon as it ends.

    Raises:
        MatchCancelled: when ``should_stop`` said so before all were played; what had ended by
            then is in the store.
        EngineError: when the engine itself failed.
    """
    keys = {name: spec.key(engine.level) for name, spec in specs.items()}
    known = dict(store.get(list(keys.values())))
    missing = {keys[name]: spec for name, spec in specs.items() if keys[name] not in known}
    order = list(missing)

    def remember(index: int, result: MatchResult) -> None:
        key = order[index]
        known[key] = result
        store.put({key: (missing[key], result)})

    if missing:
        engine.play(list(missing.values()), on_result=remember, should_stop=should_stop)
    return [PlayedMatch(name, keys[name], spec, known[keys[name]]) for name, spec in specs.items()]
