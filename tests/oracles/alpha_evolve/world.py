"""Step results out of thin air: numbers drawn from each step's key, for archives of any size.

What the search makes of results does not depend on where they came from; that the engine gives such
results is tested with the engine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from oracles.candidate import extract
from oracles.config import RunConfig
from oracles.fingerprint import fingerprint
from oracles.loop import fold
from oracles.state import RunState
from oracles.steps import StepKind, StepResult, StepSpec

SOURCE = '''class Policy:
    """Number {number}."""
    def act(self, obs):
        return {number} % 3
'''


def config(**changes: Any) -> RunConfig:
    data = {
        "game": "rrps", "oracle": "alpha_evolve", "iterations": 1, "episodes": 10, "seed": 4,
        "initial": ["uniform", "mostly_paper"], "proposals": 40,
        "evolution": {"islands": 3, "window": 4, "migration": 5}, **changes,
    }  # fmt: skip
    return RunConfig.from_json(data)


def invented(step: StepSpec, config: RunConfig) -> StepResult:
    """A result for ``step``, the same whenever it is asked for."""
    random = Random(f"{config.seed}/{step.key}")
    if step.kind is StepKind.SOLVE:
        size = step.inputs["policies"]
        return {"sigma": [1 / size] * size, "low": [0.0] * size, "high": [1.0] * size}
    if step.kind is StepKind.WRITE:
        return _written(step, random)
    opponents = step.inputs["opponents" if "opponents" in step.inputs else "columns"]
    episodes = step.inputs.get("screen", config.episodes)
    return {"matches": [_match(step, index, episodes) for index in opponents]}


def _written(step: StepSpec, random: Random) -> StepResult:
    refused = random.random() < 0.1
    text = "No." if refused else f"```python\n{SOURCE.format(number=random.randrange(10**6))}```"
    extraction = extract(text, base=None, finish_reason=None)
    completion = {"text": text, "model": None, "finish_reason": None, "model_call": False}
    return {
        "messages": [{"role": "user", "content": step.key}],
        "completion": {**completion, "prompt_tokens": None, "completion_tokens": None, "usd": None},
        "extraction": extraction.to_json(),
        "fingerprint": fingerprint(extraction.source) if extraction.source else None,
    }


def _match(step: StepSpec, index: int, episodes: int) -> Mapping[str, Any]:
    """A program is as good, and plays as, its key says; each opponent adds some noise."""
    of = Random(str(step.inputs.get("candidate", step.key)))
    strength, wins = of.gauss(0, 100), of.randrange(400)
    noise = Random(f"{step.key}/{index}")
    name = f"{step.key}/{index}"
    return {
        "name": name,
        "key": hashlib.sha256(name.encode()).hexdigest(),
        "seed": 1,
        "payoffs": [round(strength + noise.gauss(0, 60)) for _ in range(episodes)],
        "faults_a": {"exception": 3} if "candidate" in step.inputs and of.random() < 0.1 else {},
        "faults_b": {},
        "tracebacks": [],
        "level": "kernel",
        "reproducible": True,
        "tally": {
            "Rock": 100 + of.randrange(900), "Paper": 500, "Scissors": 500,
            "after wins": 400, "repeated after wins": wins,
        },
    }  # fmt: skip


def run(
    config: RunConfig,
    pick: Callable[[RunState], StepSpec] = lambda state: state.pending[0],
    results: dict[str, StepResult] | None = None,
    stop: Callable[[RunState], bool] = lambda state: bool(state.stop_reason),
) -> tuple[RunState, dict[str, StepResult]]:
    """A run up to its held-out evaluation, one step after the other as ``pick`` chooses."""
    results = {} if results is None else results
    state = fold(config, results)
    while not stop(state):
        step = pick(state)
        results[step.key] = invented(step, config)
        state = fold(config, results)
    return state, results
