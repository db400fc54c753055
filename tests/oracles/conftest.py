"""A whole small run on the real engine, with recorded answers, that many tests look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest

from games.local_engine import LocalEngine
from oracles.config import RunConfig
from oracles.loop import MemoryMatchStore, Tools, execute, fold, solve_in_memory
from oracles.state import RunState
from oracles.steps import StepResult
from oracles.task import Completion
from oracles.writers import LazyWriters

REFUSAL = "I am sorry, but I cannot help with that."
NAMES_A_THROW = '''```python
class Policy:
    """Answers with a word."""
    def act(self, obs):
        return "rock"
```'''
ALWAYS = '''```python
class Policy:
    """Always throws {throw}."""
    def act(self, obs):
        return {throw}
```'''
RANDOM = '''```python
import random

class Policy:
    """Throws at random, {shift} further."""

    def __init__(self, player, num_players, game, seed):
        self.rng = random.Random(seed)

    def act(self, obs):
        return (self.rng.randrange(3) + {shift}) % 3
```'''
FREQUENCY = '''```python
class Policy:
    """Beats the opponent's most frequent throw."""

    def __init__(self, player, num_players, game, seed):
        self.counts = [0, 0, 0]

    def act(self, obs):
        if obs["opponent_actions"]:
            self.counts[obs["opponent_actions"][-1]] += 1
        return (self.counts.index(max(self.counts)) + 1) % 3
```'''
SAME_AGAIN = FREQUENCY.replace(
    "        return", "        # The throw that beats it.\n        return"
)
DECAYED = """<<<<<<< SEARCH
        if obs["opponent_actions"]:
=======
        self.counts = [0.9 * count for count in self.counts]
        if obs["opponent_actions"]:
>>>>>>> REPLACE"""

RECORDING = {
    "it1/attempt1": REFUSAL,
    "it1/attempt2": NAMES_A_THROW,
    "it1/attempt3": FREQUENCY,
    "it1/attempt4": SAME_AGAIN,
    "it1/attempt5": DECAYED,
    "it2/attempt1": ALWAYS.format(throw=0),
    "it2/attempt2": ALWAYS.format(throw=1),
    "it2/attempt3": NAMES_A_THROW.replace("word", "name"),
    "it2/attempt4": REFUSAL,
    "it2/attempt5": ALWAYS.format(throw=2),
}


def recorded(texts: Mapping[str, str]) -> LazyWriters:
    """Writers whose ``replay`` answers with ``texts``."""
    return LazyWriters(lambda: {key: Completion(text=text) for key, text in texts.items()})


@dataclass
class FinishedRun:
    config: RunConfig
    results: dict[str, StepResult]
    state: RunState
    store: MemoryMatchStore
    order: list[str]


@pytest.fixture(scope="session")
def engine() -> Iterator[LocalEngine]:
    with LocalEngine() as local:
        yield local


@pytest.fixture(scope="session")
def finished(engine: LocalEngine) -> FinishedRun:
    """Two iterations of five recorded proposals; refusals, faults and a duplicate among them."""
    config = RunConfig(
        game="rrps",
        writer="replay",  # type: ignore[arg-type]
        recording="tests",
        initial=("uniform", "mostly_paper", "mirror_last"),
        iterations=2,
        episodes=3,
        evaluation_episodes=2,
        refinements=5,
        target=1000.0,
        seed=7,
    )
    store = MemoryMatchStore()
    results: dict[str, StepResult] = {}
    state = solve_in_memory(
        config,
        Tools(engine=engine, writers=recorded(RECORDING), matches=store),
        lambda step, result, _: results.update({step.key: result}),
    )
    return FinishedRun(config, results, state, store, list(results))


def run_until_loop_ends(
    config: RunConfig, engine: LocalEngine, texts: Mapping[str, str]
) -> RunState:
    """A run without its held-out evaluation."""
    tools = Tools(engine=engine, writers=recorded(texts), matches=MemoryMatchStore())
    results: dict[str, StepResult] = {}
    state = fold(config, results)
    while not state.stop_reason:
        step = state.pending[0]
        results[step.key] = execute(config, state, step, tools)
        state = fold(config, results)
    return state
